/** Every text belongs to a class, and the example of that class matches the same patterns. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, isGlob } from "../../src/policy/glob.js";
import { classesOf } from "../../src/policy/glob-classes.js";
import "../support/seed.js";

const piece = fc.constantFrom("a", "ab", ":", "*", "**", "view", "[ab]*", "{a,bc}", "*:", ":x", "[!a]");
const pattern = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(""))
  .filter((text) => !isGlob(text) || compileGlob(text) !== undefined);
const text = fc
  .array(fc.constantFrom("a", "b", "c", ":", "x", "view", "é"), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));

test("a text is matched by the patterns that match the example of some class", () => {
  const counts = { matched: 0, unmatched: 0 };
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), fc.array(text, { minLength: 20 }), (all, texts) => {
      const matches = (one: string) =>
        all.map((each) => (isGlob(each) ? compileGlob(each)?.(one) === true : each === one)).join();
      const classes = new Set(classesOf(all)?.map(({ example }) => matches(example)));
      for (const one of texts) {
        counts[matches(one).includes("true") ? "matched" : "unmatched"]++;
        expect([...classes], `${all.join(" ")}: ${one}`).toContain(matches(one));
      }
    }),
  );
  expect(Math.min(counts.matched, counts.unmatched)).toBeGreaterThan(200);
});

test("a name is a class by itself, and what overlaps is told apart", () => {
  expect(classesOf(["read", "write"])).toEqual([
    { example: "read", isAlone: true },
    { example: "write", isAlone: true },
    { example: "unnamed", isAlone: false },
  ]);
  const examples = classesOf(["view:*", "*:public"])?.map(({ example }) => example);
  expect(examples).toContain("view:public");
});
