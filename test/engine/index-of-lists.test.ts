import fc from "fast-check";
import { expect, test } from "vitest";
import { indexOf, isAmong } from "../../src/engine/generate/answers.js";
import { sized } from "../support/size.js";

/** Short texts of few characters, so that many share prefixes and suffixes, and overlap. */
const piece = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 3 });

test("an index has what a search of its list finds", () => {
  const found = { yes: 0, no: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(piece, piece, piece), { maxLength: 40 }),
      fc.array(piece, { maxLength: 2 }),
      fc.array(fc.tuple(piece, piece), { minLength: 1, maxLength: 3 }),
      fc.array(piece, { minLength: 1, maxLength: 8 }),
      (items, known, built, middles) => {
        const list = items.map((parts) => parts.join(""));
        const index = indexOf(list, known, built);
        expect(index?.has).toBe(known.some((text) => list.includes(text)));
        built.forEach(([prefix, suffix], i) => {
          const some = index?.middles[i] ?? { few: [], many: undefined };
          for (const middle of middles) {
            const expected = list.includes(prefix + middle + suffix);
            found[expected ? "yes" : "no"]++;
            expect(isAmong(middle, some)).toBe(expected);
          }
        });
      },
    ),
    { numRuns: sized(5_000) },
  );
  expect(Math.min(found.yes, found.no)).toBeGreaterThan(sized(500));
});

test("there is no index of what is no list of texts", () => {
  for (const other of [undefined, null, "a", { 0: "a", length: 1 }, ["a", 1], ["a", undefined], [["a"]]]) {
    expect(indexOf(other, ["a"], [])).toBe(null);
  }
});
