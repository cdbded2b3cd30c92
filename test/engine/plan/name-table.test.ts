/** A name table finds exactly its own names, whether or not a character and the length distinguish them. */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { NameTable, NameTables } from "../../../src/engine/plan/name-table.js";
import { sized } from "../../support/size.js";

/** Names that often share their length and some character. */
const name = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[ab]{1,6}$/) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
);

function expectFound(names: readonly string[], asked: readonly string[]): void {
  const table = new NameTable(names);
  expect(table.size).toBe(names.length);
  for (const one of [...names, ...asked, ""]) expect(table.indexOf(one), JSON.stringify(one)).toBe(names.indexOf(one));
}

test("few names, and others", () => {
  fc.assert(fc.property(fc.uniqueArray(name, { maxLength: 12 }), fc.array(name, { maxLength: 12 }), expectFound), {
    numRuns: sized(5_000),
  });
});

test("as many names as are told apart by a character, and more", () => {
  for (const count of [63, 64, 65, 300]) {
    const names = Array.from({ length: count }, (_, i) => `name ${i}`);
    expectFound(names, ["name", "name x", "nAme 1", `name ${count}`]);
  }
});

test("names that nothing tells apart by a character", () => {
  const long = "x".repeat(40);
  expectFound([`${long}a`, `${long}b`], [long, `${long}c`, `${long}ab`]);
});

test("lists of the same names have one table", () => {
  const tables = new NameTables();
  expect(tables.of(["b", "a", "b"])).toBe(tables.of(["a", "b"]));
  expect(tables.of(["a", "b"]).names).toEqual(["a", "b"]);
});

test.each<readonly [names: readonly string[], size: number, position: number]>([
  [["a"], 4, 0],
  [["ab", "cb"], 4, 0],
  [["ab", "eb"], 8, 0],
  [["xa", "xb"], 4, 1],
  [["a", "aa"], 4, 0],
  [["a\u0001", "b\u0001"], 4, 0],
  [[`${"x".repeat(23)}a`, `${"x".repeat(23)}b`], 4, 23],
  // Later positions and sizes beyond 256 are not tried.
  [[`${"x".repeat(24)}a`, `${"x".repeat(24)}b`], 0, 0],
  [["a", String.fromCharCode(97 + 128)], 256, 0],
  [["a", String.fromCharCode(97 + 256)], 0, 0],
  [[], 0, 0],
  [Array.from({ length: 64 }, (_, i) => String.fromCharCode(64 + i)), 64, 0],
  [Array.from({ length: 65 }, (_, i) => String.fromCharCode(64 + i)), 0, 0],
])("%j is told apart in the first of so many places, at the first position", (names, size, position) => {
  const table = new NameTable(names);
  const [candidates, numbers, byName] = ["candidates", "numbers", "byName"].map((field) => Reflect.get(table, field));
  expect([candidates.length, Reflect.get(table, "position")]).toEqual([size, position]);
  expect([...candidates].filter((one) => one !== "")).toHaveLength(size === 0 ? 0 : names.length);
  expect([...numbers].filter((one) => one >= 0).sort((a, b) => a - b)).toEqual(size === 0 ? [] : [...names.keys()]);
  // Names that the table distinguishes are found without the map.
  const asked = vi.spyOn(byName, "get");
  expect(names.map((name) => table.indexOf(name))).toEqual([...names.keys()]);
  expect(table.indexOf("none of them")).toBe(-1);
  expect(asked).toHaveBeenCalledTimes(size === 0 ? names.length + 1 : 0);
});
