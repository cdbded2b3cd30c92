/** The verdict cache: values by sets of conditions. */

import { expect, test } from "vitest";
import { RecentWords, VerdictCache } from "../../../src/engine/evaluate/verdict-cache.js";
import { kept } from "../../support/kept.js";

const LARGE = 2 ** 49 + 1;

test("sets of one word", () => {
  const sets = new VerdictCache<string>();
  for (const word of [0, 1, 255, 256, 257, LARGE]) {
    expect(sets.get([word], 1)).toBeUndefined();
    sets.set([word], 1, `value ${word}`);
  }
  for (const word of [0, 1, 255, 256, 257, LARGE]) {
    expect(sets.get([word], 1)).toBe(`value ${word}`);
  }
  expect(sets.get([2], 1)).toBeUndefined();
  sets.set([1], 1, "another");
  expect(sets.get([1], 1)).toBe("another");
});

test("sets of several words that begin or end alike", () => {
  const sets = new VerdictCache<number>();
  const words = [0, 1, 300, LARGE];
  const all = words.flatMap((x) => words.flatMap((y) => words.map((z) => [x, y, z] as const)));
  all.forEach(([x, y, z], i) => {
    expect(sets.get([x, y, z], 3)).toBeUndefined();
    sets.set([x, y, z], 3, i);
  });
  expect(all.map(([x, y, z]) => sets.get([x, y, z], 3))).toEqual(all.map((_, i) => i));
  // A prefix of a set is another set.
  expect(sets.get([1], 1)).toBeUndefined();
  expect(sets.get([1, 1], 2)).toBeUndefined();
});

test("any number of sets, and some thousands are kept", () => {
  const sets = new VerdictCache<{ readonly n: number }>();
  const sizes: number[] = [];
  let found = 0;
  for (let n = 0; n < 100_000; n++) {
    sets.set([n, n % 7, 2 ** 40 + n], 3, { n });
    if (sets.get([n, n % 7, 2 ** 40 + n], 3)?.n === n) found++;
    if (n % 19_997 === 0) sizes.push(kept(sets));
  }
  expect(found).toBe(100_000);
  // Each word of a bit set is a node, with a table and an entry in it.
  expect(Math.max(...sizes)).toBeLessThan(10_000);
});

test("the cache keeps a thousand sets, and forgets all for one more", () => {
  const sets = new VerdictCache<number>();
  const found = () => [0, 63, 64, 1_023].map((word) => sets.get([word], 1));
  for (let word = 0; word < 1_024; word++) sets.set([word], 1, word);
  expect(found()).toEqual([0, 63, 64, 1_023]);
  sets.set([5_000], 1, 1);
  expect([found(), sets.get([5_000], 1)]).toEqual([Array(4).fill(undefined), 1]);
  for (let word = 0; word < 1_023; word++) sets.set([word], 1, word);
  expect(sets.get([5_000], 1)).toBe(1);
  sets.set([6_000], 1, 1);
  expect([sets.get([5_000], 1), sets.get([6_000], 1)]).toEqual([undefined, 1]);
});

test("recent words: each is found until another takes its place", () => {
  const words = new RecentWords<number>();
  const all = [0, 1, 2, 31, 32, 33, 2 ** 32, 2 ** 33, 2 ** 32 + 1, LARGE];
  for (const word of all) {
    expect(words.get(word)).toBeUndefined();
    words.set(word, word);
    expect(words.get(word)).toBe(word);
  }
  expect(words.get(-1)).toBeUndefined();
  const found = all.filter((word) => words.get(word) === word);
  expect(found.length).toBeGreaterThan(all.length / 2);
  for (const word of all) expect([undefined, word]).toContain(words.get(word));
});

test("recent words take a bounded place, however many there are", () => {
  const words = new RecentWords<{ readonly n: number }>();
  for (let n = 0; n < 10_000; n++) words.set(n * 2 ** 20 + n, { n });
  expect(kept(words)).toBeLessThan(200);
});
