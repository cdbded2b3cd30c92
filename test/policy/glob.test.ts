/** Patterns of texts with wildcards between them, which are matched by searching for the texts in turn. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "../../src/policy/glob.js";
import { actionMatches } from "../reference/glob.js";
import { sized } from "../support/size.js";
import "../support/seed.js";

const part = fc.constantFrom("a", "b", "ab", "aba", ":", "a:a", "é", "\u{1f600}", "*", "**");
const pattern = fc
  .array(part, { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(""))
  .filter((text) => text.includes("*"));
const letter = fc.constantFrom("a", "b", ":", "é", "\u{1f600}");

test("match the same texts as a matcher that tries everything", () => {
  let matched = 0;
  fc.assert(
    fc.property(pattern, fc.string({ unit: letter, maxLength: 10 }), (glob, text) => {
      const matches = compileGlob(glob);
      if (matches === undefined) return;
      const found = matches(text);
      if (found) matched++;
      // The server's library lets the ends of `prefix**suffix` overlap, which the other matcher does not.
      const ends = /^([^*?]+)\*\*([^*?]+)$/.exec(glob);
      const overlaps = ends !== null && text.startsWith(ends[1] ?? "") && text.endsWith(ends[2] ?? "");
      expect(found, `${glob} ${text}`).toBe(overlaps || actionMatches(glob, text));
    }),
    { numRuns: sized(50_000) },
  );
  expect(matched).toBeGreaterThan(sized(3_000));
});

test.each([
  ["half a character is not found within another", "*\udc00*", "x\u{10000}y", false],
  ["half a character at the start", "\ud800*", "\u{10000}", false],
  ["a text that comes again behind a separator", "*a*b", "a:ab", false],
  ["a text that overlaps itself", "*aba*c", "ababac", true],
  ["a last text that begins before the text before it ends", "a*ab*bc", "aabc", false],
])("%s", (_, glob, text, expected) => {
  expect(compileGlob(glob)?.(text)).toBe(expected);
});
