/** The decimals that are read as a double: `JSON.parse` says which these are. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decimalsOf, INFINITE, opposite } from "../../src/sql/doubles.js";
import { sized } from "../support/size.js";

const finite = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer().map((power) => 2 ** (power % 1023)),
  fc.constantFrom(0, -0, 5e-324, -5e-324, 2 ** -1022, 2 ** 53, 2 ** 53 + 2, Number.MAX_VALUE, 1, -1, 0.1),
);

/** A little further out: the digits of an end, and one more. */
const beyond = (end: string) => (end.includes(".") ? `${end}1` : `${end}.1`);

test("both ends are read as the double, or both as its neighbours; what is further out is read as those", () => {
  fc.assert(
    fc.property(finite, (value) => {
      const { low, high, isClosed } = decimalsOf(value);
      const parsed = [low, high, value < 0 ? beyond(low) : low, value < 0 ? high : beyond(high)].map(Number);
      const isRead = parsed.map((one) => one === value);
      const isBeyond = value === 0 ? [isClosed, false] : value < 0 ? [false, isClosed] : [isClosed, false];
      expect([value, isRead]).toEqual([value, [isClosed, isClosed, ...isBeyond]]);
      expect(Number(low) <= value && value <= Number(high)).toBe(true);
    }),
    { numRuns: sized(10_000) },
  );
});

test("the first decimal that is read as infinite", () => {
  expect([Number(INFINITE), Number(String(BigInt(INFINITE) - 1n))]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.MAX_VALUE,
  ]);
  expect(Number(opposite(INFINITE))).toBe(Number.NEGATIVE_INFINITY);
  expect(opposite(opposite(INFINITE))).toBe(INFINITE);
});
