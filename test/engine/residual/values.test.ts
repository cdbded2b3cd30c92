/**
 * Value lists by themselves, from policies and from known values: operations equal those on plain lists. The number of
 * questions they need is recorded. `KEYWARD_WRITE=1 npx vitest run test/engine/residual` writes it anew.
 */

import { afterAll, expect, test } from "vitest";
import { FunctionSet } from "../../../src/cel/functions/functions.js";
import type { CelValue } from "../../../src/cel/values.js";
import { Activation, NO_TYPES } from "../../../src/engine/evaluate/activation.js";
import type { FilterScalar, JsonType } from "../../../src/engine/residual/filter.js";
import { KnownCode, KnownRequest } from "../../../src/engine/residual/known-request.js";
import { KnownValues } from "../../../src/engine/residual/known-values.js";
import { QuestionLog } from "../../../src/engine/residual/question-log.js";
import { literal } from "../../../src/engine/residual/residual-expression.js";
import { TestValues } from "../../../src/engine/residual/test-values.js";
import { STEP_BUDGET } from "../../../src/limits.js";
import { Recording } from "../../support/recording.js";

const recording = new Recording("test/engine/residual/values.json");
afterAll(() => recording.close());

const NOBODY = { id: "", roles: [], attr: {}, scope: "" };
const KNOWN = { resource: { ...NOBODY, kind: "" }, knowsId: false, now: undefined };
const code = new KnownCode(new FunctionSet([]));

function newInquiry(): QuestionLog {
  const evaluator = { code, activation: new Activation(), globals: {}, types: NO_TYPES, steps: STEP_BUDGET };
  return new QuestionLog(new KnownValues([new KnownRequest(NOBODY, KNOWN, evaluator)]));
}

type Make = (inquiry: QuestionLog) => TestValues | undefined;

const known = (value: CelValue) => (inquiry: QuestionLog) =>
  inquiry.find((given, at) => given.evaluate(0, () => value, at));
const one =
  (value: FilterScalar): Make =>
  (inquiry) =>
    TestValues.single(inquiry, known(value)(inquiry));
const list =
  (value: readonly FilterScalar[]): Make =>
  (inquiry) =>
    TestValues.listed(inquiry, known(value)(inquiry));
const constant =
  (value: readonly FilterScalar[]): Make =>
  (inquiry) =>
    TestValues.listed(inquiry, literal(value));

const LISTS: ReadonlyMap<string, readonly [make: Make, list: readonly FilterScalar[]]> = new Map([
  ...[[], ["a"], [1], ["a", "b"], ["a", "a"], ["b", "c", 1], ["c", "a"], [null, true, 2.5]].map(
    (of): [string, [Make, FilterScalar[]]] => [`constants ${JSON.stringify(of)}`, [constant(of), of]],
  ),
  ...["a", "c", 1, 2.5].map((of): [string, [Make, FilterScalar[]]] => [`known ${JSON.stringify(of)}`, [one(of), [of]]]),
  ...[[], ["a", "b"], ["b", "c"], ["a", 1, null], ["a"]].map((of): [string, [Make, FilterScalar[]]] => [
    `known ${JSON.stringify(of)}`,
    [list(of), of],
  ]),
]);

const NINE = Array.from({ length: 9 }, (_, i) => `n${i}`);

/** A list operation, with its result on plain lists. */
type Operation = readonly [made: TestValues, expected: readonly FilterScalar[]];

function made(inquiry: QuestionLog, name: string): TestValues {
  const values = LISTS.get(name)?.[0](inquiry);
  if (values === undefined) throw new Error(name);
  return values;
}

const sorted = (values: readonly FilterScalar[]) => [...new Set(values)].map((value) => JSON.stringify(value)).sort();

/** The content of a list, and the questions asked for it so far. */
function told(inquiry: QuestionLog, values: TestValues, expected: readonly FilterScalar[]): string {
  expect([sorted(values.in(inquiry.given)), values.isEmpty]).toEqual([sorted(expected), expected.length === 0]);
  return asked(inquiry);
}

const asked = ({ asked: all }: QuestionLog) => (all === undefined ? "looked" : `${all.length}`);

const TYPES: readonly (readonly JsonType[])[] = [
  ["string"],
  ["number"],
  ["integer"],
  ["integer", "number"],
  ["null", "boolean"],
];

const isOfTypes = (value: FilterScalar, types: readonly JsonType[]) =>
  types.some((type) =>
    type === "integer" ? Number.isInteger(value) : (value === null ? "null" : typeof value) === type,
  );

/** Operations on two lists, and operations on their results with one of the lists again. */
function both(
  a: TestValues,
  b: TestValues,
  x: readonly FilterScalar[],
  y: readonly FilterScalar[],
): readonly Operation[] {
  const [within, without] = [x.filter((value) => y.includes(value)), x.filter((value) => !y.includes(value))];
  return [
    [a.within(b), within],
    [a.without(b), without],
    [a.with([b, a]), [...x, ...y]],
    [a.with([a.without(b), a.within(b)]), x],
    [a.within(b).with([b, a.within(a)]), [...x, ...y]],
    [a.without(b).within(a), without],
    [a.without(b).without(a), []],
    [a.without(b).within(b), []],
    ...TYPES.flatMap((types): readonly Operation[] => [
      [a.ofTypes(types, true), x.filter((value) => isOfTypes(value, types))],
      [a.without(b).ofTypes(types, false), without.filter((value) => !isOfTypes(value, types))],
      [a.ofTypes(types, false), x.filter((value) => !isOfTypes(value, types))],
    ]),
  ];
}

const NAMES = [...LISTS.keys()];

test.each(NAMES)("%s, and each other list", (name) => {
  const lines = NAMES.map((other) => {
    const inquiry = newInquiry();
    const [a, b] = [made(inquiry, name), made(inquiry, other)];
    const [x = [], y = []] = [LISTS.get(name)?.[1], LISTS.get(other)?.[1]];
    const results = both(a, b, x, y);
    const counts = results.map(([values, expected]) => told(inquiry, values, expected));
    const areAll = results.slice(0, 2).map(([left, expected]) => {
      // For a list with a duplicate value, `areAll` may hold for fewer elements.
      const isAll = new Set(x).size === x.length ? expected.length === x.length : left.areAll(a);
      expect(left.areAll(a)).toBe(isAll);
      return asked(inquiry);
    });
    if (b.isOne) {
      for (const [values, expected] of [[a, x], ...results] as const) {
        const isIn = expected.some((value) => value === y[0]);
        expect(values.includes(b)).toBe(isIn);
      }
    }
    const [n, m] = [a.nameFor("form"), b.nameFor("form")];
    expect(n === m).toBe(JSON.stringify(x) === JSON.stringify(y));
    const names = results.map(([one]) => [one.nameFor("form"), JSON.stringify(one.in(inquiry.given))] as const);
    const mistaken = names.filter(([own, text]) => names.some(([its, same]) => (own === its) !== (text === same)));
    expect(mistaken).toEqual([]);
    return `${other}: ${counts} ${areAll} ${asked(inquiry)}`;
  });
  const [now, then] = recording.ofTexts(name, lines);
  expect(now).toBe(then);
});

test("what one value is, is asked where it is not known", () => {
  const inquiry = newInquiry();
  const [element] = made(inquiry, 'known ["a","b"]').each;
  const [first, , third] = made(inquiry, 'known ["a",1,null]').each;
  const all = [
    made(inquiry, 'known "a"'),
    made(inquiry, "known 1"),
    made(inquiry, 'constants ["a"]'),
    element,
    first,
    third,
  ];
  expect(all.map((values) => [values?.isOne, values?.isText, values?.isNumber])).toEqual([
    ...[
      [true, true, false],
      [true, false, true],
      [true, true, false],
      [true, true, false],
      [true, true, false],
    ],
    [true, false, false],
  ]);
  expect(all[0]?.each).toEqual([all[0]]);
  expect(asked(inquiry)).toBe("12");
});

test("each by itself, of up to eight that are known", () => {
  const lists = [NINE, NINE.slice(1)].flatMap((of) => [constant(of), list(of)]);
  expect(
    lists.map((make) => {
      const inquiry = newInquiry();
      const each = make(inquiry)?.each ?? [];
      expect(each.every(({ isOne }) => isOne)).toBe(true);
      return [each.flatMap((values) => values.in(inquiry.given)).join(), asked(inquiry)];
    }),
  ).toEqual([
    ...[
      [NINE.join(), "0"],
      [NINE.join(), "looked"],
    ],
    ...[
      [NINE.slice(1).join(), "0"],
      [NINE.slice(1).join(), "2"],
    ],
  ]);
});

test("texts between others, and joined", () => {
  const found = [constant, list].map((as) => {
    const inquiry = newInquiry();
    const [whole, less, more] = [as(["<a>", "<", "<b>", "a>"]), as([""]), one("<")].map((make) => make(inquiry));
    const [before, after] = [TestValues.of(inquiry, ["<"]), TestValues.of(inquiry, [">"])];
    if (whole === undefined || less === undefined || more === undefined) throw new Error("no list");
    const nothing = TestValues.of(inquiry, [""]);
    const made = [
      ...[whole.between(before, after), whole.between(nothing, nothing), whole.between(nothing, after)],
      ...[whole.between(before, nothing), whole.between(more, after), more.joined(after), before.joined(after)],
      ...[before.joined(more).joined(after)],
    ];
    expect(made.map(({ isOne }) => isOne)).toEqual([false, false, false, false, false, true, true, true]);
    expect(made.slice(5).map(({ isText, isNumber }) => [isText, isNumber])).toEqual(Array(3).fill([true, false]));
    return [made.map((values) => values.in(inquiry.given).join(" ")), whole.between(nothing, nothing) === whole];
  });
  const all = ["a b", "<a> < <b> a>", "<a <b a", "a>  b>", "a b", "<>", "<>", "<<>"];
  expect(found).toEqual([
    [all, true],
    [all, true],
  ]);
});

test("of a thousand questions the answers are kept, and of no more", () => {
  const inquiry = newInquiry();
  for (let i = 0; i < 1_000; i++) inquiry.ask(() => i);
  expect(inquiry.asked?.map(({ answer }) => answer)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
  expect([inquiry.ask(() => "more"), inquiry.asked]).toEqual(["more", undefined]);
});
