/** What was found for sets of conditions. */

import { expect, test } from "vitest";
import { KnownSets } from "../../../src/engine/evaluate/known-sets.js";
import { kept } from "../../support/kept.js";

const LARGE = 2 ** 49 + 1;

test("sets of one word", () => {
  const sets = new KnownSets<string>();
  for (const word of [0, 1, 255, 256, 257, LARGE]) {
    expect(sets.get([word], 1)).toBeUndefined();
    sets.set([word], 1, `value ${word}`);
  }
  for (const word of [0, 1, 255, 256, 257, LARGE]) expect(sets.get([word], 1)).toBe(`value ${word}`);
  expect(sets.get([2], 1)).toBeUndefined();
  sets.set([1], 1, "another");
  expect(sets.get([1], 1)).toBe("another");
});

test("sets of several words that begin or end alike", () => {
  const sets = new KnownSets<number>();
  const words = [0, 1, 300, LARGE];
  const all = words.flatMap((x) => words.flatMap((y) => words.map((z) => [x, y, z] as const)));
  all.forEach(([x, y, z], i) => {
    expect(sets.get([x, y, z], 3)).toBeUndefined();
    sets.set([x, y, z], 3, i);
  });
  expect(all.map(([x, y, z]) => sets.get([x, y, z], 3))).toEqual(all.map((_, i) => i));
  // A set is not the beginning of another.
  expect(sets.get([1], 1)).toBeUndefined();
  expect(sets.get([1, 1], 2)).toBeUndefined();
});

test("any number of sets, and some thousands are kept", () => {
  const sets = new KnownSets<{ readonly n: number }>();
  const sizes: number[] = [];
  let found = 0;
  for (let n = 0; n < 100_000; n++) {
    sets.set([n, n % 7, 2 ** 40 + n], 3, { n });
    if (sets.get([n, n % 7, 2 ** 40 + n], 3)?.n === n) found++;
    if (n % 19_997 === 0) sizes.push(kept(sets));
  }
  expect(found).toBe(100_000);
  // Each word of a set is a node, with its table and its entry there.
  expect(Math.max(...sizes)).toBeLessThan(10_000);
});
