/**
 * Times and durations in generated functions: seconds with separate nanoseconds. Values near the end of the range have
 * no result.
 */

import { expect, test } from "vitest";
import { Timestamp } from "../../../src/cel/values.js";
import * as helpers from "../../../src/engine/generate/time-helpers.js";

const { EPOCH, order, pair, readTime, span, spanBetween, spanMinus, spanPlus, timeMinus, timePlus } = helpers;
const HALF = 500_000_000;
const END = 9_223_372_036;

test("seconds carry, whichever way", () => {
  const [a, b] = [pair(5, HALF), pair(2, 700_000_000)];
  expect([timePlus(a, b), timeMinus(a, b), spanBetween(b, a), spanPlus(a, b), spanMinus(a, b)]).toEqual([
    ...[pair(8, 200_000_000), pair(2, 800_000_000), pair(-3, 200_000_000), pair(8, 200_000_000), pair(2, 800_000_000)],
  ]);
  expect([
    spanPlus(a, pair(0, HALF)),
    spanPlus(a, pair(0, HALF - 1)),
    spanMinus(a, a),
    spanMinus(a, pair(0, HALF + 1)),
  ]).toEqual([...[pair(6, 0), pair(5, 999_999_999), pair(0, 0), pair(4, 999_999_999)]]);
});

test("before, at and after", () => {
  const signs = [pair(1, 2), pair(1, 1), pair(1, 3), pair(0, 3), pair(2, 1)].map((one) =>
    Math.sign(order(one, pair(1, 2))),
  );
  expect(signs).toEqual([0, -1, 1, -1, 1]);
});

test("durations of less than so many seconds, and times of years that there are", () => {
  expect([END, END - 1, 1 - END, -END].map((seconds) => span(seconds, 0)?.seconds)).toEqual([
    undefined,
    END - 1,
    1 - END,
    undefined,
  ]);
  const [first, last] = [readTime("0001-01-01T00:00:00Z"), readTime("9999-12-31T23:59:59.999999999Z")];
  if (first === undefined || last === undefined) throw new Error("no times");
  const nano = pair(0, 1);
  expect([
    timeMinus(first, nano),
    timePlus(last, nano),
    timePlus(first, nano)?.nanos,
    timeMinus(last, nano)?.nanos,
  ]).toEqual([...[undefined, undefined, 1, 999_999_998]]);
  expect([readTime("soon"), readTime(1), EPOCH]).toEqual([undefined, undefined, new Timestamp(0, 0)]);
});
