/** Tables of bounded size. */

import { expect, test } from "vitest";
import { BoundedCache } from "../../../src/engine/plan/bounded-cache.js";
import { RecentCache } from "../../../src/engine/plan/recent-cache.js";
import { kept } from "../../support/kept.js";

const SIZE = 8;

test("keeps what was set, up to its size", () => {
  const table = new BoundedCache<string, number>(SIZE);
  for (let i = 0; i < SIZE; i++) table.set(`k${i}`, i);
  for (let i = 0; i < SIZE; i++) expect(table.get(`k${i}`)).toBe(i);
  expect(table.get("other")).toBeUndefined();
});

test("what is one too many drops the older half, which there is none of at first", () => {
  const table = new BoundedCache<string, number>(2);
  const found = (...names: readonly string[]) => names.filter((name) => Reflect.get(table, "older").has(name));
  for (const [i, name] of ["a", "b", "c", "d"].entries()) table.set(name, i);
  expect(found("a", "b", "c", "d")).toEqual(["a", "b"]);
  expect(table.get("c")).toBe(2);
  expect(found("a", "b", "c", "d")).toEqual(["a", "b"]);
  // Entries that are asked for survive the eviction.
  expect(table.get("b")).toBe(1);
  expect(found("a", "b", "c", "d")).toEqual(["c", "d"]);
  expect(table.get("a")).toBeUndefined();
});

test("forgets what nobody asks for, and keeps no more than twice its size", () => {
  const table = new BoundedCache<string, { readonly n: number }>(SIZE);
  for (let n = 0; n < 100_000; n++) table.set(`k${n}`, { n });
  const found = Array.from({ length: 100_000 }, (_, n) => table.get(`k${n}`)).filter((one) => one !== undefined);
  expect(found.length).toBeGreaterThanOrEqual(SIZE);
  expect(found.length).toBeLessThanOrEqual(2 * SIZE);
  // An entry counts as itself and its value; the table and its maps add 3.
  expect(kept(table)).toBeLessThanOrEqual(2 * 2 * SIZE + 3);
});

test("entries in use survive, however many others come along", () => {
  const table = new BoundedCache<string, number>(SIZE);
  table.set("used", 1);
  for (let n = 0; n < 1_000; n++) {
    table.set(`k${n}`, n);
    expect(table.get("used")).toBe(1);
  }
});

test("an entry that is asked for once every SIZE others survives, one that is asked for less often may not", () => {
  const table = new BoundedCache<string, number>(SIZE);
  table.set("often", 1);
  table.set("seldom", 1);
  for (let n = 0; n < 20 * SIZE; n++) {
    table.set(`k${n}`, n);
    if (n % (SIZE - 1) === 0) expect(table.get("often")).toBe(1);
  }
  expect(table.get("seldom")).toBeUndefined();
});

test("the value that was set last is found", () => {
  const table = new BoundedCache<string, number>(2);
  for (const value of [1, 2, 3, 4, 5, 6]) {
    table.set("key", value);
    expect(table.get("key")).toBe(value);
  }
});

test("names of up to 256 characters are kept, here and of what was asked for lately", () => {
  const table = new BoundedCache<string, number>(SIZE);
  const recent = new RecentCache<number>();
  const [long, longer] = ["n".repeat(256), "n".repeat(257)];
  for (const name of [long, longer]) {
    table.set(name, 1);
    recent.set(name, "a", [], 1);
    recent.set("b", name, ["r"], 2);
    recent.set("c", "a", ["r", name], 3);
  }
  const found = (name: string) => [
    ...[table.get(name), recent.get(name, "a", []), recent.get("b", name, ["r"]), recent.get("c", "a", ["r", name])],
  ];
  expect([found(long), found(longer)]).toEqual([
    [1, 1, 2, 3],
    [undefined, undefined, undefined, undefined],
  ]);
});

test("lists of up to eight roles are remembered, and only as they were", () => {
  const recent = new RecentCache<number>();
  const roles = (count: number) => Array.from({ length: count }, (_, i) => `r${i}`);
  recent.set("a", "b", roles(8), 8);
  recent.set("a", "c", roles(9), 9);
  expect([recent.get("a", "b", roles(8)), recent.get("a", "c", roles(9))]).toEqual([8, undefined]);
  for (let i = 0; i < 8; i++) {
    const other = roles(8).map((role, at) => (at === i ? "r_" : role));
    expect(recent.get("a", "b", other)).toBe(undefined);
  }
});

test("a pair has two places, of which the older is given up", () => {
  const recent = new RecentCache<string>(2);
  for (const name of ["a", "c", "e"]) recent.set(name, "", [], name);
  expect(["a", "c", "e"].map((name) => recent.get(name, "", []))).toEqual([undefined, "c", "e"]);
});
