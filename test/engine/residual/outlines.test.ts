/** Filter outlines by themselves: an outline at each size bound is simplified, and a larger one is left unchanged. */

import { describe, expect, test } from "vitest";
import type { Expr } from "../../../src/cel/ast.js";
import type { JsonValue } from "../../../src/cel/json.js";
import { EVERY, type FilterScalar, MAYBE, NO } from "../../../src/engine/residual/filter.js";
import { asDeclared } from "../../../src/engine/residual/guards.js";
import { all, any } from "../../../src/engine/residual/join.js";
import { keyOf } from "../../../src/engine/residual/keys.js";
import { KnownValues } from "../../../src/engine/residual/known-values.js";
import { mapParts } from "../../../src/engine/residual/map-parts.js";
import { matches } from "../../../src/engine/residual/matches.js";
import { isExact, not, type Outline, type OutlineTest } from "../../../src/engine/residual/outline.js";
import { QuestionLog } from "../../../src/engine/residual/question-log.js";
import {
  hasFreeLocals,
  hasUnknown,
  literal,
  Sizes,
  UNKNOWN,
} from "../../../src/engine/residual/residual-expression.js";
import { between } from "../../../src/engine/residual/scalars.js";
import { TestValues } from "../../../src/engine/residual/test-values.js";
import { SchemaTypes } from "../../../src/schema/declared-type.js";

const inquiry = new QuestionLog(new KnownValues([]));
const there = (name: string) => ({ op: "present", term: { of: "attr", path: [name] } }) as const;
const [a, b, c] = [there("a"), there("b"), there("c")];
const isArray = { op: "type", term: a.term, types: ["array"] } as const;
const isText: Outline = { op: "type", term: { of: "item", path: [] }, types: ["string"] };
const many = (count: number): Outline[] => Array.from({ length: count }, (_, i) => there(`x${i}`));

test("what is needed is taken for granted in parts of up to 500, with themselves", () => {
  // The group counts one, its first part three.
  const of = (count: number) => any([{ op: "all", of: [a, b] }, ...many(count)]);
  expect(all([a, of(496)])).toEqual({ op: "all", of: [a, any([b, ...many(496)])] });
  expect(all([a, of(497)])).toEqual({ op: "all", of: [a, of(497)] });
});

test.each<[string, Outline, Outline]>([
  ["nothing", all([]), EVERY],
  ["none of nothing", any([]), NO],
  ["one", all([EVERY, a, EVERY]), a],
  ["one of one", any([NO, a, NO]), a],
  ["what cannot be", all([a, b, NO]), NO],
  ["what is always", any([a, b, EVERY]), EVERY],
  ["the same twice", all([a, a, b, a]), { op: "all", of: [a, b] }],
  ["opposites", all([a, b, not(a)]), NO],
  ["one of opposites", any([not(a), b, a]), EVERY],
  ["parts of parts", all([a, { op: "all", of: [b, c] }]), { op: "all", of: [a, b, c] }],
  ["what is said already", all([a, { op: "any", of: [a, b] }]), a],
  ["one that is said already", any([a, { op: "all", of: [a, b] }]), a],
  [
    "what is shared",
    any([
      { op: "all", of: [a, b] },
      { op: "all", of: [c, a] },
    ]),
    { op: "all", of: [a, { op: "any", of: [b, c] }] },
  ],
  ["what is not known", all([a, MAYBE]), { op: "all", of: [a, MAYBE] }],
  ["what is not known in a part", all([a, any([b, MAYBE])]), { op: "all", of: [a, { op: "any", of: [b, MAYBE] }] }],
  ["what does not hold in a part", all([not(a), { op: "any", of: [a, b] }]), { op: "all", of: [not(a), b] }],
  ["what holds in a part", all([a, { op: "any", of: [not(a), b] }]), { op: "all", of: [a, b] }],
])("%s", (_, made, expected) => {
  expect(made).toEqual(expected);
});

test.each<[boolean, Outline]>([
  [false, MAYBE],
  [true, a],
  [true, all([a, b])],
  [false, { op: "any", of: [a, MAYBE] }],
  [false, { op: "all", of: [MAYBE, a] }],
  [true, not({ op: "some", term: a.term, over: "items", where: b })],
  [false, not({ op: "some", term: a.term, over: "items", where: MAYBE })],
  [false, { op: "every", term: a.term, over: "items", where: { op: "any", of: [a, MAYBE] } }],
])("whether it is exact: %s", (expected, outline) => {
  expect(isExact(outline)).toBe(expected);
});

test("names that are free, whatever binds others", () => {
  const name = (of: string): Expr => ({ kind: "ident", name: of, of: "local", at: 0 });
  const list = (...elements: Expr[]): Expr => ({ kind: "list", at: 0, elements });
  const macro = (v2: string | undefined, filter?: Expr, transform?: Expr): Expr => {
    return { kind: "macro", at: 0, macro: "map", v1: "v", v2, range: list(), filter, transform };
  };
  const bind = (init: Expr, body: Expr): Expr => ({ kind: "bind", at: 0, name: "v", init, body });
  const free = [
    ...[name("v"), list(literal(1), name("w")), macro(undefined, name("w")), macro("w", name("x"), name("v"))],
    ...[macro("w", name("v"), name("x")), bind(name("v"), literal(1)), bind(literal(1), name("w")), UNKNOWN],
  ];
  const bound = [
    ...[literal(1), list(), macro(undefined, name("v")), macro("w", name("w"), name("v")), bind(literal(1), name("v"))],
  ];
  expect(free.map((one) => hasFreeLocals(one))).toEqual(free.map(() => true));
  expect(bound.map((one) => hasFreeLocals(one))).toEqual(bound.map(() => false));
  expect([list(list(UNKNOWN)), list(list(name("v")))].map(hasUnknown)).toEqual([true, false]);
});

test("keys of up to 2,000 characters of parts are texts", () => {
  const of = (length: number): Outline => {
    const rest = length - String(keyOf(there(""))).length;
    return { op: "all", of: [there("n".repeat(rest))] };
  };
  expect(typeof keyOf(of(2_000))).toBe("string");
  expect(keyOf(of(2_001))).toEqual(of(2_001));
  expect(keyOf(not(a))).toBe(`not(${String(keyOf(a))})`);
  const large: OutlineTest = { op: "some", term: a.term, over: "items", where: of(2_001) };
  expect([large, not(large), all([a, not(large)])].map(keyOf)).toEqual([large, not(large), all([a, not(large)])]);
});

test("expressions have a key each", () => {
  const says = (expr: Expr): OutlineTest => ({ op: "expression", is: true, reads: [], layer: 0, expr });
  const [x, y] = [says(literal("x")), says(literal("y"))];
  expect(all([x, y, { ...x }])).toEqual({ op: "all", of: [x, y] });
});

test("of a layer that is not asked nothing is known", () => {
  expect(() => new KnownValues([]).known(0)).toThrow("keyward: a layer of which nothing is known");
});

test("trees of up to 20,000 nodes are kept", () => {
  const list = (length: number): Expr => ({ kind: "list", at: 0, elements: Array(length).fill(literal(1)) });
  const sizes = new Sizes();
  const [kept, large] = [list(19_999), list(20_000)];
  expect([sizes.bounded(kept), sizes.bounded(large), sizes.bounded(large)]).toEqual([kept, UNKNOWN, UNKNOWN]);
});

test("what stands between two texts", () => {
  const found = (...values: (string | number)[]) => between(values, "<", "b>");
  expect(found("<ab>", "<b>", "<ab", "ab>", "b>", "<", 1, "<xxb>")).toEqual(["a", "", "xx"]);
  expect(between(["ab", "aba"], "ab", "ba")).toEqual([]);
});

describe("a node with the same parts is the same node", () => {
  const [x, y, z] = [literal("x"), literal("y"), literal("z")];
  const NODES: readonly Expr[] = [
    x,
    { kind: "ident", name: "n", of: "local", at: 0 },
    { kind: "select", at: 0, operand: x, field: "f" },
    { kind: "has", at: 0, operand: x, field: "f" },
    { kind: "optional", at: 0, value: x },
    { kind: "call", at: 0, fn: "f", overload: undefined, args: [x, y] },
    { kind: "member", at: 0, fn: "f", overload: undefined, target: x, args: [y, z] },
    { kind: "list", at: 0, elements: [x, y] },
    {
      kind: "map",
      at: 0,
      entries: [
        { key: x, value: y },
        { key: y, value: z },
      ],
    },
    { kind: "macro", at: 0, macro: "map", v1: "v", v2: undefined, range: x, filter: y, transform: z },
    { kind: "bind", at: 0, name: "v", init: x, body: y },
  ];
  test.each(NODES.map((node) => [node.kind, node] as const))("%s", (_, node) => {
    expect(mapParts(node, (part) => part)).toBe(node);
    for (const part of [x, y, z]) {
      const made = mapParts(node, (one) => (one === part ? literal("other") : one));
      const changed = JSON.stringify(node).replaceAll(JSON.stringify(part.value), '"other"');
      expect(JSON.stringify(made)).toBe(node === x ? JSON.stringify(x) : changed);
    }
  });
});

test.each<[value: FilterScalar | readonly FilterScalar[] | object, one: FilterScalar, expected: boolean]>([
  [["a", 1], 1, true],
  [["a", 1], "1", false],
  [{ a: 1 }, "a", true],
  [{ 1: "a" }, 1, false],
  [{}, "toString", false],
  ["a", "length", false],
  ["a", "a", false],
  [null, "a", false],
])("whether %j includes %j", (value, one, expected) => {
  const filter = { op: "includes", term: a.term, value: one } as const;
  expect(matches(filter, { attr: { a: value } })).toBe(expected);
});

test.each<[value: FilterScalar | readonly FilterScalar[] | object, sizes: readonly boolean[]]>([
  ["a\u{1f600}", [false, true, false, false]],
  [[1], [true, false, false, true]],
  [{ a: 1, b: 2 }, [false, true, false, false]],
  [{}, [true, false, true, true]],
  [0, [false, false, false, false]],
  [null, [false, false, false, false]],
  [true, [false, false, false, false]],
])("whether %j has a size: less than 2, 2, none, no more than 1", (value, sizes) => {
  const sized = (symbol: "<" | "==" | "<=", than: number) =>
    matches({ op: "size", term: a.term, symbol, value: than }, { attr: { a: value } });
  expect([sized("<", 2), sized("==", 2), sized("==", 0), sized("<=", 1)]).toEqual(sizes);
});

test.each<[schema: JsonValue, whole: Outline | undefined, itself: Outline | undefined]>([
  [true, EVERY, EVERY],
  [false, NO, NO],
  ...[
    { of: { type: "string" }, types: ["string"] as const },
    { of: { type: ["integer", "null"] }, types: ["null", "integer"] as const },
    { of: { type: ["number", "integer", "boolean"] }, types: ["boolean", "number"] as const },
    { of: { type: ["array", "object"] }, types: ["array", "object"] as const },
  ].map(({ of, types }): [JsonValue, Outline, Outline] => {
    const outline: Outline = { op: "type", term: a.term, types };
    return [of, outline, outline];
  }),
  ...[
    { of: { enum: [null, 2, "x", true] }, values: [null, 2, "x", true] },
    { of: { type: "string", enum: [1, "x"] }, values: ["x"] },
    { of: { const: 1.5 }, values: [1.5] },
  ].map(({ of, values }): [JsonValue, Outline, Outline] => {
    const outline = { op: "in", term: a.term, values: TestValues.of(inquiry, values) } as const;
    return [of, outline, outline];
  }),
  [{ type: "string", enum: [1] }, NO, NO],
  [{ enum: [[1], 1] }, undefined, undefined],
  [
    { type: "array", items: { type: "string" } },
    all([isArray, any([not(isArray), { op: "every", term: a.term, over: "items", where: isText }])]),
    isArray,
  ],
  [{ type: "array", items: { items: { type: "string" } } }, undefined, isArray],
  [{ properties: { x: { type: "string" } } }, undefined, EVERY],
  [{ type: "array", properties: { x: { type: "string" } } }, isArray, isArray],
  [
    { type: "object", properties: { x: { type: "string" } } },
    undefined,
    { op: "type", term: a.term, types: ["object"] },
  ],
])("an attribute is as declared: %j", (schema, whole, itself) => {
  const declared = new SchemaTypes(new Map([["cerbos:///x.json", { properties: { a: schema } }]])).at(
    "cerbos:///x.json",
  );
  expect([true, false].map((isWhole) => asDeclared(inquiry, declared, ["a"], isWhole))).toEqual([whole, itself]);
});
