/** Formulas by themselves: simplifying keeps their meaning, and their text equals the recorded one. */

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type Formula,
  type FormulaOperation,
  type FormulaSort,
  Formulas,
  nearestDouble,
  type Rational,
  rational,
  rationalOf,
  unknownsIn,
} from "../../../src/engine/formula/formula.js";
import { scriptOf, valuesIn } from "../../../src/engine/formula/smtlib.js";
import { OPERATIONS, type Value } from "../../reference/formula-value.js";
import { IS_WRITTEN } from "../../support/recording.js";

/** The operand sorts of each operation; `?`: any sort, the same for all operands. */
const TAKES: { readonly [op in FormulaOperation]: readonly (FormulaSort | "?")[] } = {
  and: ["bool", "bool"],
  or: ["bool", "bool"],
  not: ["bool"],
  "=": ["?", "?"],
  ite: ["bool", "?", "?"],
  "<": ["real", "real"],
  "<=": ["real", "real"],
  "+": ["real", "real"],
  "-": ["real", "real"],
  "*": ["real", "real"],
  whole: ["real"],
  floor: ["real"],
  "text.join": ["text", "text"],
  "text.length": ["text"],
  "text.starts": ["text", "text"],
  "text.ends": ["text", "text"],
  "text.contains": ["text", "text"],
  "text.less": ["text", "text"],
};

const SORTS: readonly FormulaSort[] = ["bool", "real", "text", "kind"];

function pools(formulas: Formulas): { readonly [sort in FormulaSort]: readonly Formula[] } {
  const [p, q] = [formulas.unknown("bool", "p"), formulas.unknown("bool", "q")];
  const [x, s] = [formulas.unknown("real", "x"), formulas.unknown("text", "s")];
  const both = formulas.and(p, q);
  return {
    bool: [formulas.yes, formulas.no, p, q, formulas.not(p), both, formulas.or(p, formulas.not(q)), formulas.not(both)],
    real: [...[0, 1, -1.5, -2].map((one) => formulas.number(one)), x, formulas.unknown("real", "y", [s])],
    text: ["", "ab", "b", '"é\\\u0007'].map((one) => formulas.text(one)).concat(s, formulas.unknown("text", "t")),
    kind: [formulas.kind("null"), formulas.kind("text"), formulas.unknown("kind", "k")],
  };
}

/** All combinations of values for the unknowns. */
const GIVEN: readonly ReadonlyMap<string, Value>[] = [true, false].flatMap((p) =>
  [true, false].flatMap((q) =>
    [0, 1, -1.5].flatMap((x) =>
      ["", "ab", "b"].map(
        (s) =>
          new Map<string, Value>([
            ["p", p],
            ["q", q],
            ["x", rationalOf(x)],
            ["y", rationalOf(2 - x)],
            ["s", s],
            ["t", s === "b" ? "b" : `a${s}`],
            ["k", p ? "null" : "text"],
          ]),
      ),
    ),
  ),
);

function meaning(formula: Formula, given: ReadonlyMap<string, Value>): Value {
  if (formula.op === "constant") return formula.value;
  if (formula.op === "unknown") return given.get(formula.name);
  return OPERATIONS[formula.op](formula.args.map((arg) => meaning(arg, given)));
}

function choices<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const [first, ...rest] = lists;
  return first === undefined ? [[]] : first.flatMap((one) => choices(rest).map((others) => [one, ...others]));
}

const OPS = Object.keys(TAKES).filter((op): op is FormulaOperation => op in TAKES);

/** Each operation on each combination of operands. */
function applications(formulas: Formulas, op: FormulaOperation) {
  const all = pools(formulas);
  const takes = TAKES[op];
  const sorts = takes.includes("?") ? SORTS : SORTS.slice(0, 1);
  return sorts.flatMap((sort) =>
    choices(takes.map((one) => all[one === "?" ? sort : one])).map((args) => ({
      args,
      made: formulas.applied(op, args),
    })),
  );
}

test.each(OPS)("%s means the same after it is simplified", (op) => {
  for (const { args, made } of applications(new Formulas(), op)) {
    for (const given of GIVEN) {
      const [value, expected] = [meaning(made, given), OPERATIONS[op](args.map((arg) => meaning(arg, given)))];
      if (JSON.stringify(value, digits) !== JSON.stringify(expected, digits))
        expect({ op, args, made, value }).toEqual({ op, args, made, value: expected });
    }
  }
});

const digits = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

test.each(["whole", "symbols"] as const)("as a script, with texts as %s, they are what was put down", (texts) => {
  const formulas = new Formulas();
  const made = OPS.flatMap((op) => applications(formulas, op).map((one) => one.made));
  const holds = [...new Set(made)].filter(({ sort }) => sort === "bool");
  const wanted = [...new Set(made)].filter(({ sort }) => sort !== "bool" && (sort !== "text" || texts === "whole"));
  const script = scriptOf({ holds, wanted, texts });
  const path = `test/engine/formula/${texts}.smt2`;
  if (IS_WRITTEN) writeFileSync(path, script);
  expect(script.split("\n")).toEqual(readFileSync(path, "utf8").split("\n"));
  expect(
    scriptOf({ holds: [formulas.yes], wanted: [], texts: "whole" })
      .split("\n")
      .slice(1),
  ).toEqual(["(assert true)", "(check-sat)", ""]);
});

test("characters that a script cannot have are escaped, and no others", () => {
  const formulas = new Formulas();
  const texts = [" !~", "\u001f", "\u007f", "\\", '"', "\u{2ffff}", "a\u0000b"];
  const script = scriptOf({ holds: [formulas.yes], wanted: texts.map((one) => formulas.text(one)), texts: "whole" });
  expect(script.trim().split("\n").at(-1)).toBe(
    '(get-value (" !~" "\\u{1f}" "\\u{7f}" "\\u{5c}" """" "\\u{2ffff}" "a\\u{0}b"))',
  );
});

test("an unknown is declared once, whatever it is applied to; what stands in several places is written once", () => {
  const formulas = new Formulas();
  const [p, x] = [formulas.unknown("bool", "p"), formulas.unknown("real", "x")];
  const f = (arg: Formula) => formulas.unknown("bool", "f", [arg]);
  const both = formulas.and(p, f(x));
  const holds = [both, formulas.or(both, f(formulas.number(1))), formulas.not(p)];
  const [, ...lines] = scriptOf({ holds, wanted: [], texts: "symbols" }).trim().split("\n");
  const own = lines.filter((line) => !line.includes("Text"));
  expect(own).toEqual([
    ...["(declare-fun u0 () Bool)", "(declare-fun u1 () Real)", "(declare-fun u2 (Real) Bool)"],
    `(define-fun d${both.id} () Bool (and u0 (u2 u1)))`,
    ...[`(assert d${both.id})`, `(assert (or d${both.id} (u2 1.0)))`, "(assert (not u0))", "(check-sat)"],
  ]);
});

test("texts as symbols are all different; of one there is nothing to say", () => {
  const formulas = new Formulas();
  const is = (text: string) => formulas.same(formulas.unknown("text", "s"), formulas.text(text));
  const said = (...holds: readonly Formula[]) =>
    scriptOf({ holds, wanted: [], texts: "symbols" })
      .split("\n")
      .filter((line) => line.startsWith("(assert"));
  expect(said(is("a"))).toEqual(["(assert (= u0 t0))"]);
  expect(said(formulas.or(is("a"), is("b")))).toEqual([
    "(assert (distinct t0 t1))",
    "(assert (or (= u0 t1) (= u0 t0)))",
  ]);
});

const half = { num: 1n, den: 2n };
const whole = (num: bigint) => ({ num, den: 1n });

test.each<[string, readonly unknown[]]>([
  ["((u0 true) (u1 false))", [true, false]],
  ['((u0 "a""b\\u{1f600}\\u0041 )("))', ['a"b\u{1f600}A )(']],
  ['((u0 ""))', [""]],
  ["((u0 k.null)\n (u1 k.map))", ["null", "map"]],
  ["((u0 2.0) (u1 3) (u2 0.125))", [whole(2n), whole(3n), { num: 1n, den: 8n }]],
  ["((u0 (- 2.0)) (u1 (/ 1.0 2.0)) (u2 (- (/ 1.0 2.0))))", [whole(-2n), half, { num: -1n, den: 2n }]],
  ["((u0 (/ (- 3.0) 6.0)) (u1 (to_real 4)) (u2 (- 1.0 2.0)))", [{ num: -1n, den: 2n }, whole(4n), undefined]],
  [
    "((u0 (/ 1.0 0.0)) (u1 (root-obj (+ (^ x 2) (- 2)) 2)) (u2 abc) (u3 ()))",
    [undefined, undefined, undefined, undefined],
  ],
  ["(((u0 x) true) u1)", [true, undefined]],
  ["unknown", []],
  ["\n( (\tu0\n true )\t)", [true]],
  ['((u0 "a b") (u1 " (") (u2 ")', ["a b", " (", ""]],
  ['((u0 "a"" b"', ['a" b']],
  ["((u0 (- 1.0 2.0)) (u1 (-)) (u2 (/ 1.0)) (u3 (to_real)))", [undefined, undefined, undefined, undefined]],
  [
    "((u0 (/ 1.0 (- 2.0))) (u1 (/ (- 6.0) (- 4.0))) (u2 (/ 0.0 (- 3.0))))",
    [{ num: -1n, den: 2n }, { num: 3n, den: 2n }, whole(0n)],
  ],
  ["((u0 (/ x 2.0)) (u1 (/ 2.0 x)) (u2 (- x)) (u3 01.50))", [undefined, undefined, undefined, { num: 3n, den: 2n }]],
  ["((u0 1.) (u1 .5) (u2 truest) (u3 kmap))", [undefined, undefined, undefined, undefined]],
  ["((u0) u1 (u2 ((a) b) c))", [undefined, undefined, undefined]],
  ['((u0 "\\u{2FFFF}\\uzz\\u{zz}"))', ["\u{2ffff}\\uzz\\u{zz}"]],
  ["  ( ( a\t1.50 ) ", [{ num: 3n, den: 2n }]],
  ['((u0 true ) (u1 "a""")(u2 (/ 1.0 0.5) ) )', [true, 'a"', whole(2n)]],
])("values of %s", (answer, values) => {
  expect(valuesIn(answer)).toEqual(values);
});

test("numbers are exact, and infinity is one beyond all others", () => {
  const shown = ({ num, den }: Rational) => `${num}/${den}`;
  expect([0, -3, 0.5, -0.75, 1e21, 5e-324, 12n].map((one) => shown(rationalOf(one)))).toEqual([
    ...["0/1", "-3/1", "1/2", "-3/4", "1000000000000000000000/1", `1/${2n ** 1074n}`, "12/1"],
  ]);
  const [up, down] = [rationalOf(Number.POSITIVE_INFINITY), rationalOf(Number.NEGATIVE_INFINITY)];
  expect(up.num > up.den * BigInt(Number.MAX_VALUE)).toBe(true);
  expect([up.den, down.den, down.num]).toEqual([2n, 2n, -up.num]);
  expect(
    [rational(2n, -4n), rational(0n, 5n), rational(-6n, 3n), rational(6n, -3n), rational(0n, 0n)].map(shown),
  ).toEqual([...["-1/2", "0/1", "-2/1", "-2/1", "0/0"]]);
  for (const one of [0, 1, -1, 0.1, -0.3, 1 / 3, 2 ** 53 - 1, Number.MAX_VALUE, 2 ** -1022, 5e-324, 2.5e-310]) {
    expect(nearestDouble(rationalOf(one))).toBe(one);
  }
  expect(
    [rational(1n, 3n), rational(-2n, 3n), rational(2n ** 54n + 1n, 1n), rational(2n ** 60n + 1n, 2n ** 7n)].map(
      nearestDouble,
    ),
  ).toEqual([...[1 / 3, -2 / 3, 2 ** 54, 2 ** 53]]);
  // A little more than half way between two doubles; and quotients in range with parts beyond the range of doubles.
  const most = 3n * 2n ** 80n;
  const above = [rational((2n ** 53n + 1n) * most + 1n, most), rational(2n ** 1024n + 1n, 2n)];
  const large = rational(2n ** 2700n + 1n, 2n ** 1690n);
  expect([...above, large].map(nearestDouble)).toEqual([2 ** 53 + 2, 2 ** 1023, 2 ** 1010]);
});

test("between the least doubles, the nearest is the even one of two", () => {
  const least = 5e-324;
  const parts = [1n, 2n, 3n, 5n, 6n, 7n, 2n ** 55n - 1n].map((quarters) => rational(quarters, 2n ** 1076n));
  expect(parts.map((one) => nearestDouble(one) / least)).toEqual([0, 0, 1, 1, 2, 2, 2 ** 53]);
  const eighths = rational(8n * (2n ** 51n + 1n) + 3n, 2n ** 1077n);
  expect(nearestDouble(eighths) / least).toBe(2 ** 51 + 1);
});

test("the unknowns of formulas, each once, in the order in which they were made", () => {
  const formulas = new Formulas();
  const [a, b] = [formulas.unknown("real", "a"), formulas.unknown("text", "b")];
  const f = formulas.unknown("real", "f", [b]);
  const all = [formulas.less(f, a), formulas.less(a, formulas.number(1)), formulas.yes];
  expect(unknownsIn(all)).toEqual([a, b, f]);
});

test("constants are ordered by their values, whatever their denominators", () => {
  const formulas = new Formulas();
  const values = [-2.5, -1, -0.25, 0, 0.125, 0.25, 1, 2.25, 2.5, 7];
  for (const [i, a] of values.entries()) {
    for (const [j, b] of values.entries()) {
      expect(formulas.less(formulas.number(a), formulas.number(b))).toBe(i < j ? formulas.yes : formulas.no);
    }
  }
});
