/** The values that a program gives with a policy set are copied; values that are not JSON are refused by their place. */

import { expect, test } from "vitest";
import { copyOfValues } from "../../../src/engine/frame/program-values.js";

test("JSON is copied whole; a member that is undefined is absent", () => {
  const values = { list: [1, ["a", { b: null }]], map: { c: true, d: undefined }, __proto__: null };
  const copy = copyOfValues(values, "globals", "doubles");
  expect(copy).toEqual({ list: [1, ["a", { b: null }]], map: { c: true } });
  expect([copy.list === values.list, Object.keys(Object(copy.map))]).toEqual([false, ["c"]]);
});

const list: unknown[] = [];
list.push(list);
const map: { [name: string]: unknown } = {};
map.map = map;

test.each<readonly [what: string, values: object, message: string]>([
  ["undefined in a list", { a: [1, undefined] }, "globals.a[1] must be JSON"],
  ["NaN in a map", { a: { b: Number.NaN } }, "globals.a.b must be JSON"],
  ["a date", { a: new Date(0) }, "globals.a must be JSON"],
  ["an exact integer", { a: 1n }, "globals.a must be JSON"],
  ["a list that contains itself", { list }, `globals.list${"[0]".repeat(100)} is nested more than 100 levels deep`],
  ["a map that contains itself", map, `globals${".map".repeat(101)} is nested more than 100 levels deep`],
])("%s is refused", (_, values, message) => {
  expect(() => copyOfValues(values, "globals", "doubles")).toThrow(new TypeError(message));
});

test("integers of 64 bits are values where integers are exact", () => {
  expect(copyOfValues({ a: [2n ** 60n] }, "globals", "exact")).toEqual({ a: [2n ** 60n] });
});

/** Lists, or maps, within each other. */
const nested = (levels: number, around: (inner: unknown) => unknown) =>
  Array.from({ length: levels }).reduce<unknown>((inner) => around(inner), 1);

test.each([
  ["lists", (inner: unknown) => [inner]],
  ["maps", (inner: unknown) => ({ a: inner })],
])("a hundred levels of %s are copied, and one more is refused", (_, around) => {
  const value = nested(100, around);
  expect(copyOfValues({ value }, "globals", "doubles")).toEqual({ value });
  expect(() => copyOfValues({ value: around(value) }, "globals", "doubles")).toThrow("is nested more than 100");
});
