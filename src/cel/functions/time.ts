/**
 * Fields of timestamps and durations (cel-go `common/types/timestamp.go`). Without a time zone, a timestamp is read in
 * UTC and its own offset ignored. Months, days of the month and days of the year count from 0; `getDate` from 1.
 */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { civilFromDays, daysFromCivil, durationIn, splitDays } from "../time.js";
import { DURATION, INT, STRING, TIMESTAMP } from "../types.js";
import type { Duration, Timestamp } from "../values.js";
import { offsetAt } from "../zones.js";
import { binary, type Overload, unary } from "./overload.js";

/** One field of an instant: `seconds` of the wall clock since 1970, and `nanos`. */
type TimeField = (seconds: number, nanos: number) => number;

const civil = (seconds: number) => civilFromDays(splitDays(seconds).days);
const clock = (seconds: number): number => splitDays(seconds).rest;

const PARTS: readonly (readonly [string, TimeField])[] = [
  ["getFullYear", (s) => civil(s).year],
  ["getMonth", (s) => civil(s).month - 1],
  ["getDate", (s) => civil(s).day],
  ["getDayOfMonth", (s) => civil(s).day - 1],
  ["getDayOfWeek", (s) => (((splitDays(s).days + 4) % 7) + 7) % 7],
  ["getDayOfYear", (s) => splitDays(s).days - daysFromCivil(civil(s).year, 1, 1)],
  ["getHours", (s) => Math.floor(clock(s) / 3600)],
  ["getMinutes", (s) => Math.floor(clock(s) / 60) % 60],
  ["getSeconds", (s) => clock(s) % 60],
  ["getMilliseconds", (_s, nanos) => Math.floor(nanos / 1_000_000)],
];

/** Measured: the platform takes about 5 µs to convert an instant to a named zone. */
const ZONE_COST = 50;

function inZone(ev: Evaluation, time: Timestamp, zone: string, part: TimeField): bigint | undefined {
  if (!spend(ev, ZONE_COST)) return undefined;
  const offset = offsetAt(zone, time.seconds);
  if (offset === undefined) return fail(ev, `unknown time zone ${zone.slice(0, 80)}`);
  return BigInt(part(time.seconds + offset, time.nanos));
}

function wholeIn(unit: bigint): (ev: Evaluation, duration: Duration) => bigint {
  return (_ev, duration) => BigInt(Math.trunc(durationIn(duration, unit)));
}

export const timeFunctions: readonly Overload[] = [
  ...PARTS.flatMap(([name, part]): Overload[] => [
    unary("member", name, TIMESTAMP, INT, (_ev, time) => BigInt(part(time.seconds, time.nanos))),
    binary("member", name, TIMESTAMP, STRING, INT, (ev, time, zone) => inZone(ev, time, zone, part)),
  ]),
  unary("member", "getHours", DURATION, INT, wholeIn(3_600_000_000_000n)),
  unary("member", "getMinutes", DURATION, INT, wholeIn(60_000_000_000n)),
  unary("member", "getSeconds", DURATION, INT, wholeIn(1_000_000_000n)),
  unary("member", "getMilliseconds", DURATION, INT, (_ev, duration) => duration.nanos / 1_000_000n),
];
