/** The search for a row that filters select and others do not, against rows that are tried. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { findRow } from "../../src/engine/residual/row-search.js";
import { type Filter, type FilterRow, type FilterTerm, type FilterTest, matches } from "../../src/index.js";
import { sized } from "../support/size.js";

const TEXTS = ["", "a", "ab", "b", "x"];
const NUMBERS = [-1, 0, 0.5, 1, 2];
const scalar = fc.constantFrom<string | number | boolean | null>(...TEXTS, ...NUMBERS, true, false, null);

const leaf = (term: fc.Arbitrary<FilterTerm>): fc.Arbitrary<FilterTest> =>
  fc.oneof(
    fc.record({ op: fc.constant("present" as const), term }),
    fc.record({
      op: fc.constant("type" as const),
      term,
      types: fc.subarray(["null", "boolean", "integer", "number", "string", "array", "object"] as const, {
        minLength: 1,
      }),
    }),
    fc.record({ op: fc.constant("in" as const), term, values: fc.array(scalar, { maxLength: 3 }) }),
    fc.record({
      op: fc.constant("order" as const),
      term,
      symbol: fc.constantFrom("<" as const, "<=" as const, ">" as const, ">=" as const),
      value: fc.constantFrom(...TEXTS, ...NUMBERS),
    }),
    fc.record({ op: fc.constant("includes" as const), term, value: scalar }),
    fc.record({
      op: fc.constant("text" as const),
      term,
      how: fc.constantFrom("startsWith" as const, "endsWith" as const, "contains" as const),
      value: fc.constantFrom(...TEXTS),
    }),
    fc.record({
      op: fc.constant("size" as const),
      term,
      symbol: fc.constantFrom("<" as const, ">=" as const, "==" as const),
      value: fc.nat(2),
    }),
  );

const item = fc.constant<FilterTerm>({ of: "item", path: [] });
const term = fc.constantFrom<FilterTerm>(
  { of: "id", path: [] },
  { of: "attr", path: ["p"] },
  { of: "attr", path: ["q"] },
  { of: "attr", path: ["q", "r"] },
);

function tree(tests: fc.Arbitrary<FilterTest>, depth: number): fc.Arbitrary<Filter> {
  const part = depth === 0 ? tests : fc.oneof(tests, tree(tests, depth - 1));
  return fc.oneof(
    { weight: 3, arbitrary: tests },
    { weight: 1, arbitrary: tests.map((of): Filter => ({ op: "not", of })) },
    {
      weight: 2,
      arbitrary: fc.record({
        op: fc.constantFrom("all" as const, "any" as const),
        of: fc.array(part, { minLength: 0, maxLength: 3 }),
      }),
    },
  );
}

const quantified: fc.Arbitrary<FilterTest> = fc.record({
  op: fc.constantFrom("some" as const, "every" as const),
  term,
  over: fc.constantFrom("items" as const, "keys" as const),
  where: tree(leaf(item), 1),
});
const filter = tree(fc.oneof({ weight: 5, arbitrary: leaf(term) }, { weight: 1, arbitrary: quantified }), 1);

const value: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom("a", "b", "r", "x"), scalar, { maxKeys: 2, noNullPrototype: true }),
  fc.constant(undefined),
);
const row: fc.Arbitrary<FilterRow> = fc.record({
  id: fc.constantFrom("a", "ab", "b", "x"),
  attr: fc.record({ p: value, q: value }),
});

test("none is never said where a row is there, and a row that is found meets the filters", () => {
  const counts = { none: 0, found: 0, unsure: 0, missed: 0 };
  fc.assert(
    fc.property(
      fc.array(filter, { minLength: 1, maxLength: 2 }),
      fc.array(filter, { minLength: 1, maxLength: 2 }),
      fc.array(row, { minLength: 40, maxLength: 40 }),
      (selecting, others, rows) => {
        const isMeant = (one: FilterRow) =>
          selecting.every((each) => matches(each, one)) && !others.some((each) => matches(each, one));
        const goals = [
          ...selecting.map((each) => ({ filter: each, holds: true })),
          ...others.map((each) => ({ filter: each, holds: false })),
        ];
        const found = findRow(goals, { left: 1_000 }, isMeant);
        const shown = rows.find(isMeant);
        if (found === "none") {
          counts.none += 1;
          expect(shown).toBeUndefined();
        } else if (found === "unsure") {
          counts.unsure += 1;
          if (shown !== undefined) counts.missed += 1;
        } else {
          counts.found += 1;
          expect(isMeant(found.row)).toBe(true);
        }
      },
    ),
    { numRuns: sized(30_000) },
  );
  const all = counts.none + counts.found + counts.unsure;
  expect(counts.none / all).toBeGreaterThan(0.2);
  expect(counts.found / all).toBeGreaterThan(0.3);
  // Sizes and parts of texts are not always decided.
  expect(counts.unsure / all).toBeLessThan(0.25);
});

const VALUE: FilterTerm = { of: "attr", path: ["n"] };
const over = (symbol: "<" | ">", value: number): FilterTest => ({ op: "order", term: VALUE, symbol, value });
const type = (...types: ("integer" | "number")[]): FilterTest => ({ op: "type", term: VALUE, types });

test.each([
  ["a whole number between", [over(">", 0.2), over("<", 1.2), type("integer")], [], true],
  ["no whole number between", [over(">", 0.2), over("<", 0.9), type("integer")], [], false],
  ["a fraction between whole numbers", [over(">", 0), over("<", 6), type("number")], [type("integer")], true],
  ["a fraction below large numbers", [over("<", 2 ** 60)], [type("integer")], true],
  ["a number below a very low one", [over("<", -1e300)], [], true],
  ["a number above a very large one", [over(">", 1e300)], [], true],
  ["a whole number between large ones", [over(">", 2 ** 53), over("<", 2 ** 53 + 4)], [], true],
  ["nothing between neighbours", [over(">", 2 ** 53), over("<", 2 ** 53 + 2)], [], false],
] as const)("numbers: %s", (_, holding, failing, isThere) => {
  const goals = [
    ...holding.map((each) => ({ filter: each, holds: true })),
    ...failing.map((each) => ({ filter: each, holds: false })),
  ];
  const isMeant = (one: FilterRow) => goals.every(({ filter: each, holds }) => matches(each, one) === holds);
  const found = findRow(goals, { left: 1_000 }, isMeant);
  expect(found === "none").toBe(!isThere);
  expect(typeof found === "string").toBe(!isThere);
});
