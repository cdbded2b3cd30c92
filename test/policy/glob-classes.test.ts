/** Every text belongs to a class, and the example of that class matches the same patterns. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, isGlob } from "../../src/policy/glob.js";
import { classesOf, exampleOf } from "../../src/policy/glob-classes.js";
import "../support/seed.js";

const piece = fc.constantFrom("a", "ab", ":", "*", "**", "view", "[ab]*", "{a,bc}", "*:", ":x", "[!a]", "?");
const joined = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
const group = fc.array(joined, { minLength: 1, maxLength: 3 }).map((alternatives) => `{${alternatives.join(",")}}`);
const pattern = fc
  .oneof({ weight: 3, arbitrary: joined }, { weight: 1, arbitrary: group })
  .filter((text) => !isGlob(text) || compileGlob(text) !== undefined);
const text = fc
  .array(fc.constantFrom("a", "b", "c", ":", "x", "view", "é"), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));

function isMatched(one: string, by: string): boolean {
  return isGlob(by) ? compileGlob(by)?.(one) === true : by === one;
}

test("a text has one class: its example matches the same patterns, and its description fits no other text", () => {
  const counts = { matched: 0, unmatched: 0 };
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), fc.array(text, { minLength: 20 }), (all, texts) => {
      const matches = (one: string) => all.map((by) => isMatched(one, by)).join();
      const classes = classesOf(all) ?? [];
      expect(classes).not.toEqual([]);
      for (const one of texts) {
        counts[matches(one).includes("true") ? "matched" : "unmatched"]++;
        const [found, ...others] = classes.filter(({ has }) => has(one));
        expect([found && matches(found.example), others], `${all.join(" ")}: ${one}`).toEqual([matches(one), []]);
        for (const { isAlone, matchedBy, unmatchedBy, has } of classes) {
          if (isAlone) continue;
          const fits = matchedBy.every((by) => isMatched(one, by)) && !unmatchedBy.some((by) => isMatched(one, by));
          expect(has(one), `${all.join(" ")}: ${one}`).toBe(fits);
        }
      }
    }),
  );
  expect(Math.min(counts.matched, counts.unmatched)).toBeGreaterThan(200);
});

test("a name is a class by itself, and what overlaps is told apart", () => {
  expect(classesOf(["read", "write"])).toMatchObject([
    { example: "read", isAlone: true },
    { example: "write", isAlone: true },
    { example: "unnamed", isAlone: false },
  ]);
  const examples = classesOf(["view:*", "*:public"])?.map(({ example }) => example);
  expect(examples).toContain("view:public");
});

test("the example of a glob is a text that it matches", () => {
  const globs = ["a?c", "[!a-z]", "{a,b}", "\\*x", "\\{a\\}*", "*"];
  for (const glob of globs) expect(compileGlob(glob)?.(exampleOf(glob) ?? ""), glob).toBe(true);
  fc.assert(
    fc.property(pattern.filter(isGlob), (glob) => {
      expect(compileGlob(glob)?.(exampleOf(glob) ?? ""), glob).toBe(true);
    }),
  );
});
