/** Tables of bounded size. */

import { expect, test } from "vitest";
import { Bounded } from "../../../src/engine/plan/bounded.js";
import { kept } from "../../support/kept.js";

const SIZE = 8;

test("keeps what was set, up to its size", () => {
  const table = new Bounded<string, number>(SIZE);
  for (let i = 0; i < SIZE; i++) table.set(`k${i}`, i);
  for (let i = 0; i < SIZE; i++) expect(table.get(`k${i}`)).toBe(i);
  expect(table.get("other")).toBeUndefined();
});

test("forgets what nobody asks for, and keeps no more than twice its size", () => {
  const table = new Bounded<string, { readonly n: number }>(SIZE);
  for (let n = 0; n < 100_000; n++) table.set(`k${n}`, { n });
  const found = Array.from({ length: 100_000 }, (_, n) => table.get(`k${n}`)).filter((one) => one !== undefined);
  expect(found.length).toBeGreaterThanOrEqual(SIZE);
  expect(found.length).toBeLessThanOrEqual(2 * SIZE);
  // An entry counts as itself and its value; the table and its maps are the rest.
  expect(kept(table)).toBeLessThanOrEqual(2 * 2 * SIZE + 3);
});

test("entries in use survive, however many others come along", () => {
  const table = new Bounded<string, number>(SIZE);
  table.set("used", 1);
  for (let n = 0; n < 1_000; n++) {
    table.set(`k${n}`, n);
    expect(table.get("used")).toBe(1);
  }
});

test("an entry that is asked for once every SIZE others survives, one that is asked for less often may not", () => {
  const table = new Bounded<string, number>(SIZE);
  table.set("often", 1);
  table.set("seldom", 1);
  for (let n = 0; n < 20 * SIZE; n++) {
    table.set(`k${n}`, n);
    if (n % (SIZE - 1) === 0) expect(table.get("often")).toBe(1);
  }
  expect(table.get("seldom")).toBeUndefined();
});

test("the value that was set last is found", () => {
  const table = new Bounded<string, number>(2);
  for (const value of [1, 2, 3, 4, 5, 6]) {
    table.set("key", value);
    expect(table.get("key")).toBe(value);
  }
});
