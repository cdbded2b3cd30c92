/** The index of similar names finds the same names as comparing all pairs. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isSlip, misspellings } from "../../../src/audit/findings/misspellings.js";
import { sized } from "../../support/size.js";
import "../../support/seed.js";

/** By comparing each name with every other. */
function compared(names: readonly string[]): readonly (readonly [string, string])[] {
  const others = [...new Set(names)];
  return names
    .filter((name) => names.filter((other) => other === name).length === 1)
    .flatMap((name) => {
      const meant = others.find((other) => isSlip(name, other));
      return meant === undefined ? [] : [[name, meant] as const];
    });
}

const LETTERS = [..."abcABdsr"];
const UNITS = [...LETTERS, ..."1.:é"];
const word = fc.array(fc.constantFrom(...UNITS), { maxLength: 7 }).map((units) => units.join(""));
const index = fc.nat({ max: 8 });

const ways: { readonly [way: string]: (text: string, at: number, unit: string) => string } = {
  "left out": (text, at) => text.slice(0, at) + text.slice(at + 1),
  added: (text, at, unit) => text.slice(0, at) + unit + text.slice(at),
  exchanged: (text, at, unit) => text.slice(0, at) + unit + text.slice(at + 1),
  swapped: (text, at) => text.slice(0, at) + (text[at + 1] ?? "") + (text[at] ?? "") + text.slice(at + 2),
  "in capitals": (text) => text.toUpperCase(),
};

/** A name, and its spelling after one or more slips. */
const spellings = fc
  .tuple(
    word,
    fc.array(fc.tuple(fc.constantFrom(...Object.keys(ways)), index, fc.constantFrom(...UNITS)), { maxLength: 4 }),
  )
  .map(([text, slips]) => [text, ...slips.map(([way, at, unit]) => ways[way]?.(text, at, unit) ?? text)]);

test("all names that a slip away from another, and no others", () => {
  const found = new Map<string, number>();
  const runs = sized(20_000);
  fc.assert(
    fc.property(fc.array(spellings, { maxLength: 4 }), (lists) => {
      const names = lists.flat();
      const slips = misspellings(names.map((name) => ({ name }))).map(([{ name }, meant]) => [name, meant] as const);
      expect(slips).toEqual(compared(names));
      for (const [name, meant] of slips) {
        const way =
          name.toLowerCase() === meant.toLowerCase()
            ? "in capitals"
            : ["shorter", "as long", "longer"][Math.sign(name.length - meant.length) + 1];
        found.set(way ?? "", (found.get(way ?? "") ?? 0) + 1);
      }
    }),
    { numRuns: runs },
  );
  for (const way of ["in capitals", "shorter", "as long", "longer"]) {
    expect([way, found.get(way) ?? 0]).toEqual([way, expect.toSatisfy((count: number) => count > runs / 20)]);
  }
});

test.each([
  ["deleteApi", "deletApi"],
  ["deleteApi", "deleeteApi"],
  ["deleteApi", "delateApi"],
  ["deleteApi", "deleteAip"],
  ["deleteApi", "DeleteAPI"],
])("%s and %s are a slip away from each other", (one, other) => {
  expect(isSlip(one, other)).toBe(true);
  expect(isSlip(other, one)).toBe(true);
  expect(misspellings([one, other, other].map((name) => ({ name })))).toEqual([[{ name: one }, other]]);
});

test.each([
  ["read", "reads"],
  ["api.read", "api.lead"],
  ["step1", "step2"],
  ["abc", "abd"],
  ["deleteApi", "removeApi"],
])("%s and %s are two words", (one, other) => {
  expect(misspellings([one, other].map((name) => ({ name })))).toEqual([]);
});
