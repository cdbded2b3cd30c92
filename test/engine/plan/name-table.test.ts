/** A table of names finds what it has and nothing else, whether a character and the length tell them apart or not. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { NameTable, NameTables } from "../../../src/engine/plan/name-table.js";
import { sized } from "../../support/size.js";

/** Names that often meet in their lengths and in some character. */
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
