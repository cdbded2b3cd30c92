/** The layout of a resource's frame for both layers, and the slots from which copies take their values. */

import { expect, test } from "vitest";
import type { TypeDeclaration } from "../../../src/cel/type-declaration.js";
import { type Layout, type LayoutSlot, mergedLayout, type Owned, readNames } from "../../../src/engine/frame/layout.js";
import { SchemaTypes } from "../../../src/schema/declared-type.js";

function declaredAs(type: string): TypeDeclaration {
  const ref = "cerbos:///x.json";
  return new SchemaTypes(new Map([[ref, { type }]])).at(ref) ?? expect.unreachable("nothing is declared");
}

const slot = (path: string, more: Partial<LayoutSlot> = {}): LayoutSlot => ({
  path: path.split("."),
  isWhole: true,
  owned: "elements",
  types: [undefined],
  ...more,
});
const pathsIn = (layout: Layout) => layout.map(({ path }) => path.join("."));

test("each attribute of both layers has one slot, before those inside it", () => {
  const [first, second] = [
    [slot("a"), slot("b"), slot("b.c")],
    [slot("d"), slot("b"), slot("b.e"), slot("a")],
  ];
  expect(pathsIn(mergedLayout([first, second], false))).toEqual(["a", "b", "b.c", "d", "b.e"]);
  expect(mergedLayout([first], false)).toEqual(first);
  expect(mergedLayout([[], second], false).map(({ types }) => types.length)).toEqual([2, 2, 2, 2]);
});

test.each<readonly [Owned, Owned, Owned]>([
  ["elements", "elements", "elements"],
  ["elements", "all", "all"],
  ["all", ["k"], "all"],
  [["k"], "elements", "all"],
  [
    ["k", "j"],
    ["j", "i"],
    ["k", "j", "i"],
  ],
])("lists are copied for both layers: %j and %j as %j", (a, b, owned) => {
  expect(mergedLayout([[slot("a", { owned: a })], [slot("a", { owned: b })]], false)).toMatchObject([{ owned }]);
  const inside = slot("a", { isWhole: false, owned: "all" });
  expect(mergedLayout([[inside], [slot("a", { owned: b })]], false)).toMatchObject([{ isWhole: true, owned: b }]);
  expect(mergedLayout([[slot("a", { owned: a })], [inside]], false)).toMatchObject([{ isWhole: true, owned: a }]);
});

test("each layer checks its own type, and both check one schema once", () => {
  const [text, number] = [declaredAs("string"), declaredAs("number")];
  const [whole, part] = [
    { declared: text, isWhole: true },
    { declared: text, isWhole: false },
  ];
  const other = { declared: number, isWhole: false };
  const merged = (a: LayoutSlot["types"][0], b: LayoutSlot["types"][0], isSameSchema: boolean) =>
    mergedLayout([[slot("a", { types: [a] })], [slot("a", { types: [b] })]], isSameSchema)[0]?.types;
  expect(merged(part, whole, true)).toEqual([whole]);
  expect(merged(part, part, true)).toEqual([part]);
  expect(merged(part, other, false)).toEqual([part, other]);
  expect(merged(undefined, other, true)).toEqual([undefined, other]);
  expect(merged(part, undefined, true)).toEqual([part, undefined]);
});

test("copies find the values of each layer's slots behind its steps", () => {
  const paths = (...all: readonly string[]) => all.map((path) => ({ path: path.split(".") }));
  const none = new Map();
  expect(readNames([paths("a", "b", "b.c", "b.c.d")])).toEqual(
    new Map([
      ["a", { at: 1, inside: none }],
      ["b", { at: 2, inside: new Map([["c", { at: 3, inside: new Map([["d", { at: 4, inside: none }]]) }]]) }],
    ]),
  );
  // Names that both layers read are in the slots of the first.
  expect(readNames([paths("a"), paths("b", "a", "a.c")])).toEqual(
    new Map([
      ["a", { at: 1, inside: new Map([["c", { at: 5, inside: none }]]) }],
      ["b", { at: 3, inside: none }],
    ]),
  );
  expect(readNames([])).toEqual(new Map());
});
