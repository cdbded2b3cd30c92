import fc from "fast-check";
import { expect, test } from "vitest";
import { didYouMean, nearestSentences } from "../../src/policy/distance.js";
import { sized } from "../support/size.js";
import "../support/seed.js";

/** The edit distance with swaps (Damerau–Levenshtein), without an upper bound. */
function distance(a: string, b: string): number {
  const known = new Map<string, number>();
  const from = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i} ${j}`;
    const steps =
      known.get(key) ??
      Math.min(
        from(i - 1, j) + 1,
        from(i, j - 1) + 1,
        from(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? from(i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY,
      );
    known.set(key, steps);
    return steps;
  };
  return from(a.length, b.length);
}

function nearest(word: string, candidates: readonly string[]): string | undefined {
  const all = candidates.map((one) => ({ one, far: distance(word.toLowerCase(), one.toLowerCase()) }));
  const near = all.filter(({ far }) => far <= Math.max(2, Math.floor(word.length / 3)));
  const [first] = near.toSorted((a, b) => a.far - b.far);
  return first && `did you mean ${JSON.stringify(first.one)}?`;
}

const word = fc.array(fc.constantFrom(..."abcA."), { maxLength: 12 }).map((units) => units.join(""));

test("the first of the nearest, if one is near", () => {
  const found = { none: 0, one: 0 };
  const runs = sized(20_000);
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 5 }), (text, candidates) => {
      const hint = didYouMean(text, candidates);
      expect(hint).toBe(nearest(text, candidates));
      found[hint === undefined ? "none" : "one"] += 1;
    }),
    { numRuns: runs },
  );
  expect(Math.min(found.none, found.one)).toBeGreaterThan(runs / 5);
});

const SENTENCES = [
  "A draft API has no keys.",
  "An API with keys is not deleted.",
  "No account has more APIs than its limit.",
];

test.each<[string, readonly string[]]>([
  ["draft keys", ["A draft API has no keys."]],
  ["deleted api keys", ["An API with keys is not deleted.", "A draft API has no keys."]],
  ["deletd", ["An API with keys is not deleted."]],
  ["acount limits", ["No account has more APIs than its limit."]],
  ["quota", []],
  ["?!", []],
])("the sentences with words near those of %j", (text, expected) => {
  expect(nearestSentences(text, SENTENCES, 2)).toEqual(expected);
});
