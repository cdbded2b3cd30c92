/**
 * Optional values, by cel-go's documentation, tests and source; no available server has them. The specification's
 * conformance tests are in `conformance.test.ts`.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DefinitionNames } from "../../src/cel/check.js";
import { type Code, compile, Slots } from "../../src/cel/compile.js";
import { usageOf } from "../../src/cel/expression-usage.js";
import { parseExpression } from "../../src/cel/parse.js";
import { ATTRIBUTES } from "../../src/cel/roots.js";
import type { CelValue } from "../../src/cel/values.js";
import { checkedTree, evaluationOf, load } from "./support.js";
import { value } from "./value.js";
import "../support/seed.js";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import { sized } from "../support/size.js";

const NO_NAMES = { variables: new Set<string>(), constants: new Set<string>() };

function tree(source: string, names?: DefinitionNames) {
  return checkedTree(source, names);
}

describe("reading what may be absent", () => {
  test.each([
    ["R.attr.?n", { of: 1 }],
    ["R.attr.?missing", "none"],
    ["R.attr.?nul", { of: null }],
    ["R.attr . ? n", { of: 1 }],
    ['R.attr[?"n"]', { of: 1 }],
    ["R.attr[ ? 'zz' ]", "none"],
    ["R.attr.list[?0]", { of: 1 }],
    ["R.attr.list[?3]", "none"],
    ["R.attr.list[?-1]", "none"],
    ["R.attr.list[?R.attr.n]", { of: 2 }],
    ["R.attr.list[?1u]", { of: 2 }],
    ["R.attr.list[?0.5]", "error"],
    ["R.attr.list[?'a']", "error"],
    ["{1: 'a'}[?1.0]", "refused: found no matching overload for '_[?_]' applied to '(map(int, string), double)'"],
    ["{1: 'a'}[?dyn(1.0)]", { of: "a" }],
    ["[1][?'a']", "refused: found no matching overload for '_[?_]' applied to '(list(int), string)'"],
    // A step before the first question mark must be present.
    ["R.attr.missing.?x", "error"],
    // A value without fields lacks every field; only a list's index must be a number.
    ["R.attr.?s.x", "none"],
    ["R.attr.s.?x", "none"],
    ["R.attr.nul.?x", "none"],
    ["R.attr.list.?x", "error"],
    ["1.?x", "refused: type 'int' does not support field selection"],
  ])("%s", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test.each([
    ["R.attr.?map.b.c", { of: "x" }],
    ["R.attr.?map.?b.?c", { of: "x" }],
    ["R.attr.?map['b']['c']", { of: "x" }],
    ["R.attr.?map[?'b'].c", { of: "x" }],
    ["R.attr.?map.zz.c", "none"],
    ["R.attr.?zz.b.c", "none"],
    ["R.attr.?list[0]", { of: 1 }],
    ["R.attr.?list[9]", "none"],
    ["cel.bind(o, R.attr.?map, o.b.c)", { of: "x" }],
    ["optional.of(R.attr.map).b.c", { of: "x" }],
    ["optional.none().x[0]", "none"],
    // An optional inside a map is unwrapped too.
    ["{'a': R.attr.?map}.a.b.c", { of: "x" }],
    ["{'a': R.attr.?zz}.a.b", "none"],
  ])("%s: after a question mark all is optional", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test.each([
    ["P.?id", { of: "p" }],
    ["P.?policyVersion", "none"],
    ["P.?policy_version", "none"],
    ["R.?attr.?n", { of: 1 }],
    ["P.?attr", "none"],
    ["request.?auxData.jwt.sub", "none"],
    ["request.?principal.id", { of: "p" }],
    ["G.?x", "none"],
    ["P.?nope", "refused: undefined field 'nope'"],
    ["V.?nope", "refused: undefined variable 'nope'"],
    ["C.?nope", "refused: undefined constant 'nope'"],
  ])("%s: a field of a message is there unless it is empty", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test.each([
    ["has(R.attr.?map.b)", true],
    ["has(R.attr.?map.zz)", false],
    ["has(R.attr.?zz.b)", false],
    ["has(optional.none().x)", false],
    ["has(R.attr.missing.?x.y)", "error"],
  ])("%s", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test("variables that fail are none, constants are there", () => {
    const names = { variables: new Set(["good", "bad"]), constants: new Set(["limit"]) };
    const expr = tree("[V.?good, V.?bad, C.?limit]", names);
    const code = compile(expr, {
      functions: FUNCTIONS,
      variables: new Map<string, Code>([
        ["good", () => "yes"],
        ["bad", () => undefined],
      ]),
      constants: new Map([["limit", 5]]),
      slots: new Slots(),
    });
    const [good, bad, limit] = code(evaluationOf({})) as readonly { readonly value?: CelValue }[];
    expect([good?.value, bad?.value, limit?.value]).toEqual(["yes", undefined, 5]);
  });
});

describe("literals", () => {
  test.each([
    ["[?R.attr.?n, ?R.attr.?zz, 3]", [1, 3]],
    ["[ ? R.attr.?zz , ? R.attr.?n ]", [1]],
    ["[?optional.none()]", []],
    ["[optional.none()]", ["none"]],
    ["{?'a': R.attr.?n, ?'b': R.attr.?zz, 'c': 2}", { a: 1, c: 2 }],
    ["{'a': 1, ?'a': optional.none()}", {}],
    ["{?'a': optional.none(), 'a': 1}", { a: 1 }],
    ["size({1u: 1, ?1u: optional.none()})", 0],
    ["size({?'a': R.attr.?map, ?'b': R.attr.?nul})", 2],
    ["[?1]", "refused: expected type 'optional_type(int)' but found 'int'"],
    ["{?'a': 'b'}", "refused: expected type 'optional_type(string)' but found 'string'"],
    ["[?R.attr.n]", "error"],
    ["{?'a': R.attr.n}", "error"],
    ["[1, ?optional.of(2)] == [1, 2]", true],
    ["[[?R.attr.?n], [?R.attr.?zz]]", [[1], []]],
    ["R.attr.list.map(x, [?[10, 20][?int(x)], x])", [[20, 1], [2], [3]]],
  ])("%s", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test("the types of what is in them are checked", () => {
    expect(value("[1, ?optional.of(2)][0] + 'a'")).toMatch(/^refused: found no matching overload/);
    expect(value("[1, ?optional.of('a')][1] + 'a'")).toBe("aa");
  });
});

describe("functions", () => {
  test.each([
    ["optional.of(null)", { of: null }],
    ["optional.of(optional.none())", { of: "none" }],
    ["optional.of(1).hasValue()", true],
    ["optional.none().hasValue()", false],
    ["R.attr.?n.value()", 1],
    ["optional.none().value()", "error"],
    ["R.attr.n.value()", "error"],
    ["1.value()", "refused: found no matching overload for 'value' applied to 'int.()'"],
    ["R.attr.?n.or(R.attr.?s)", { of: 1 }],
    ["R.attr.?zz.or(R.attr.?s)", { of: "abc" }],
    ["R.attr.?zz.orValue('none')", "none"],
    ["R.attr.?nul.orValue('none')", null],
    ["optional.none().or(optional.none()).orValue(42)", 42],
    ["optional.of(1).or(1)", "refused: found no matching overload for 'or' applied to 'optional_type(int).(int)'"],
    ["optional.of(1).orValue('a')", /^refused: found no matching overload for 'orValue'/],
    ["R.attr.n.or(optional.of(1))", "error"],
    // The alternative is evaluated only if it is needed.
    ["R.attr.?n.orValue(R.attr.missing)", 1],
    ["R.attr.?zz.orValue(R.attr.missing)", "error"],
    ["R.attr.missing.?x.orValue(1)", "error"],
    ["[1, 2].first()", { of: 1 }],
    ["[1, 2].last()", { of: 2 }],
    ["[].first()", "none"],
    ["R.attr.list.last()", { of: 3 }],
    ["R.attr.s.first()", "error"],
    ["'abc'.first()", "refused: found no matching overload for 'first' applied to 'string.()'"],
    ["optional.unwrap([R.attr.?n, R.attr.?zz, optional.of(2)])", [1, 2]],
    ["[R.attr.?n, R.attr.?zz].unwrapOpt()", [1]],
    ["[dyn(1)].unwrapOpt()", "error"],
    ["[1].unwrapOpt()", "refused: found no matching overload for 'unwrapOpt' applied to 'list(int).()'"],
    ["size(R.attr.?list)", "refused: found no matching overload for 'size' applied to '(optional_type(dyn))'"],
    ["string(optional.of(1))", /^refused: found no matching overload/],
    ["'%s'.format([optional.of(1)])", /^refused: error during formatting/],
    ["'%s'.format([dyn(optional.of(1))])", "error"],
    ["type(optional.of(1)) == optional_type", true],
    ["[1].exists(optional_type, optional_type == 1)", true],
  ])("%s", (source, expected) => {
    if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
    else expect(value(source)).toEqual(expected);
  });

  test.each([
    ...["false", "0", "0u", "0.0", "-0.0", "''", "b''", "[]", "{}", "null", "duration('0s')"],
    ...["timestamp('0001-01-01T00:00:00Z')", "R.attr.nul", "request.auxData"],
  ])("optional.ofNonZeroValue(%s) is none", (source) => {
    expect(value(`optional.ofNonZeroValue(${source})`)).toBe("none");
  });

  test.each([
    ...["true", "1", "-1", "1u", "0.5", "double('NaN')", "' '", "b'a'", "[0]", "{'': 0}", "duration('1ns')"],
    ...["timestamp(0)", "int", "optional.none()", "P", "hierarchy('')"],
  ])("optional.ofNonZeroValue(%s) has a value", (source) => {
    expect(value(`optional.ofNonZeroValue(${source}).hasValue()`)).toBe(true);
  });

  test.each([
    ["R.attr.?map.optMap(m, m.a)", { of: 1 }],
    ["R.attr.?zz.optMap(m, m.a)", "none"],
    ["R.attr.?map.optMap(m, m.zz)", "error"],
    ["R.attr.?map.optFlatMap(m, m.?b)", { of: { c: "x" } }],
    ["R.attr.?map.optFlatMap(m, m.?zz)", "none"],
    ["optional.of(1).optMap(v, v + 1).optMap(v, v * 2)", { of: 4 }],
    ["optional.of(1).optMap(a, optional.of(2).optMap(b, a + b).value())", { of: 3 }],
    ["R.attr.list.map(x, R.attr.?n.optMap(n, n + x).value())", [2, 3, 4]],
    ["R.attr.n.optMap(m, m)", "error"],
    ["[1].optMap(x, x)", "refused: found no matching overload for 'hasValue' applied to 'list(int).()'"],
    ["optional.of(1).optFlatMap(x, x)", /^refused: found no matching overload for '_\?_:_'/],
    ["optional.of(1).optMap(x.y, 1)", "refused: a macro's variable must be a simple name"],
    ["optional.of(1).optMap(x)", "refused: there is no member function 'optMap'"],
  ])("%s", (source, expected) => {
    if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
    else expect(value(source)).toEqual(expected);
  });
});

test.each([
  ["optional.of(1) == optional.of(1)", true],
  ["optional.of(1) != optional.of(2)", true],
  ["optional.of(1) == optional.none()", false],
  ["optional.none() == optional.none()", true],
  ["optional.of(dyn(1)) == optional.of(dyn(1.0))", true],
  ["optional.of([1, {'a': 2}]) == optional.of([1, {'a': 2}])", true],
  ["dyn(optional.of(1)) == dyn(1)", false],
  ["dyn(1) == dyn(optional.of(1))", false],
  ["optional.none() == null", false],
  ["R.attr.?n in [optional.of(dyn(1))]", true],
  ["optional.of(double('NaN')) == optional.of(double('NaN'))", false],
  ["optional.of(1) == 1", "refused: found no matching overload for '_==_' applied to '(optional_type(int), int)'"],
  ["optional.of(1) == optional.of('a')", /^refused: found no matching overload/],
  ["optional.of(1) < optional.of(2)", /^refused: found no matching overload/],
  ["{optional.of(1): 1}", "error"],
])("%s", (source, expected) => {
  if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
  else expect(value(source)).toEqual(expected);
});

describe("the text", () => {
  test.each([
    ["R.attr.?x()", 9],
    ["R.attr.?x.y() + R.attr.?z()", 25],
    [".?R", 1],
    ["[(?x)]", undefined],
    ["f(?x)", undefined],
    ["R.attr.??x", undefined],
    ["R.attr[??x]", undefined],
    ["[? ?x]", undefined],
    ["{'a': ?x}", undefined],
    ["R.attr.?", undefined],
    ["[?]", undefined],
    ["[1 ?]", undefined],
    ["R.attr[?1, 2]", undefined],
    ["R.attr?.x", undefined],
  ])("%s does not parse", (source, at) => {
    const parsed = parseExpression(source);
    expect(parsed).toMatchObject(at === undefined ? { ok: false } : { ok: false, at });
    if (!parsed.ok) expect(parsed.message).toMatch(/^syntax error/);
  });

  test.each([
    ["true?[1]:[2]", [1]],
    ["true ? [1][?0] : [2][?0]", { of: 1 }],
    ["[true ? 1 : 2, ?optional.of(3)]", [1, 3]],
    ["[?true ? R.attr.?n : R.attr.?s]", [1]],
    ["'a.?b[?c]{?d}'", "a.?b[?c]{?d}"],
    ["R.attr.// a comment ?\n?n", { of: 1 }],
    ["R.attr.\n\n ? \n n", { of: 1 }],
    ["[[1, 2], [?R.attr.?zz, ?R.attr.?n]][1]", [1]],
    ["{'a': [?R.attr.?zz], ?'b': optional.of({?'c': R.attr.?n})}", { a: [], b: { c: 1 } }],
    ["R.attr.list.exists(x, [?optional.of(x)] == [2])", true],
    ["R.attr.list.map(x, x == 2, [?optional.of(x)])", [[2]]],
    ["R.attr.list.filter(x, R.attr.list[?int(x)].hasValue())", [1, 2]],
  ])("%s", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test("positions are those of the source", () => {
    const parsed = load("  [?R.attr.?n,   ?1]");
    expect(parsed).toEqual({ refused: "expected type 'optional_type(int)' but found 'int'", at: 18 });
    expect(load("R.?attr.?n + nope")).toMatchObject({ at: 13 });
  });

  test("it may nest as deep as without", () => {
    const deep = (n: number): string => `${"[?optional.of(".repeat(n)}1${")]".repeat(n)}`;
    expect(load(deep(60))).toBeTypeOf("function");
    expect(load(deep(101))).toMatchObject({ refused: expect.stringMatching(/levels deep/) });
    expect(load(`R.attr${".?a".repeat(190)}`)).toBeTypeOf("function");
    expect(load(`R.attr${".?a".repeat(300)}`)).toMatchObject({ refused: expect.stringMatching(/levels deep/) });
  });
});

describe("static facts", () => {
  test.each([
    ["R.attr.?x", [["R.attr", ["x"], true]]],
    ["R.attr.?x.y['z'].hasValue()", [["R.attr", ["x", "y", "z"], true]]],
    ["R.attr[?'x'].?y", [["R.attr", ["x", "y"], true]]],
    ["R.?attr.x", [["R.attr", ["x"], true]]],
    ["P.?id", [["P.id", [], true]]],
    ["has(R.attr.?x.y)", [["R.attr", ["x", "y"], true]]],
    ["G.?x", [["G", ["x"], true]]],
    [
      "R.attr.x.?y.orValue(P.attr.z)",
      [
        ["R.attr", ["x", "y"], true],
        ["P.attr", ["z"], false],
      ],
    ],
    [
      "R.attr.list[?P.attr.i]",
      [
        ["R.attr", ["list"], false],
        ["P.attr", ["i"], false],
      ],
    ],
    [
      "P.attr[?R.id]",
      [
        ["P.attr", [], false],
        ["R.id", [], false],
      ],
    ],
    [
      "[?R.attr.?a, R.attr.b]",
      [
        ["R.attr", ["a"], true],
        ["R.attr", ["b"], false],
      ],
    ],
    [
      "{?R.id: P.attr.?a}",
      [
        ["R.id", [], false],
        ["P.attr", ["a"], true],
      ],
    ],
    [
      "R.attr.?a.optMap(v, v.b + P.id)",
      [
        ["R.attr", ["a"], true],
        ["P.id", [], false],
      ],
    ],
    ["R.attr.l.exists(x, x.?y == x.?z)", [["R.attr", ["l"], false]]],
  ])("%s", (source, expected) => {
    expect(usageOf(tree(source)).reads.map(({ root, path, has }) => [root, path, has])).toEqual(expected);
  });

  test("variables and constants", () => {
    const { variables, constants } = usageOf(tree("[V.?a, V.b, C.?d.e, V.?c.f[0]]"));
    expect([[...variables], [...constants]]).toEqual([["a", "b", "c"], ["d"]]);
  });
});

test("an attribute that is read in several ways is read once", () => {
  const source = "[R.attr.?x, R.attr.?x, optional.of(R.attr.x)] == [R.attr.?x, R.attr[?'x'], optional.of(R.attr.x)]";
  const expr = tree(source, NO_NAMES);
  const slots = new Slots();
  const code = compile(expr, { functions: FUNCTIONS, variables: new Map(), constants: new Map(), slots });
  let reads = 0;
  const attr = {
    get x() {
      return ++reads;
    },
  };
  const ev = evaluationOf({});
  ev.attributes[ATTRIBUTES.resource] = attr;
  ev.restart();
  // `attr[?k]` looks up an index, as `attr[k]` does, and shares no cached value.
  expect(code(ev)).toBe(false);
  expect(reads).toBe(2);
});

describe("laws", () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<CelValue>;
  const attr = fc.dictionary(fc.constantFrom("a", "b", "constructor", "__proto__", "length"), json);
  const same = (left: string, right: string) =>
    fc.assert(
      fc.property(attr, (attributes) => {
        const [a, b] = [load(left), load(right)];
        if (typeof a !== "function" || typeof b !== "function") throw new Error("refused");
        expect(a(evaluationOf(attributes as never))).toEqual(b(evaluationOf(attributes as never)));
      }),
      { numRuns: sized(300) },
    );

  test.each([
    ["R.attr.?a.hasValue()", "has(R.attr.a)"],
    ["R.attr.?__proto__.hasValue()", "has(R.attr.__proto__)"],
    ["R.attr.?a", "has(R.attr.a) ? optional.of(R.attr.a) : optional.none()"],
    ["R.attr.?a.orValue('z')", "has(R.attr.a) ? R.attr.a : 'z'"],
    ["R.attr.?a.?b", "R.attr.?a.b"],
    ["R.attr.?a.?b", "R.attr.?a.optFlatMap(v, v.?b)"],
    ["R.attr[?'a']", "R.attr.?a"],
    ["R.attr[?'constructor']", "R.attr.?constructor"],
    ["[?R.attr.?a, ?R.attr.?b]", "[R.attr.?a, R.attr.?b].unwrapOpt()"],
    ["R.attr.?a.or(R.attr.?b)", "R.attr.?a.hasValue() ? R.attr.?a : R.attr.?b"],
  ])("%s is %s", (left, right) => {
    same(left, right);
  });
});
