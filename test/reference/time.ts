/** Timestamps and durations of the naive evaluator, as nanoseconds in a bigint. */

const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;

export interface Instant {
  readonly nanos: bigint;
  /** Minutes east of UTC, as written. */
  readonly offset: number;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?\d*(?:Z|([+-])(\d\d):(\d\d))$/;

/** Strict RFC 3339: no other separators, no invalid days of a month (docs/cerbos-semantics.md §3.3). */
export function parseTimestamp(text: string): Instant | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const days = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  if (days === undefined || day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return undefined;
  const [, , , , , , , fraction = "", sign = "+", offsetHours = "0", offsetMinutes = "0"] = match;
  if (Number(offsetHours) > 24 || Number(offsetMinutes) > 59) return undefined;
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC would read the years 0 to 99 as 19xx
  date.setUTCHours(hour, minute - offset, second);
  const nanos = BigInt(date.getTime()) * MILLISECOND + BigInt(fraction.padEnd(9, "0"));
  return inRange(nanos) ? { nanos, offset } : undefined;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const EARLIEST = BigInt(Date.parse("0001-01-01T00:00:00Z")) * MILLISECOND;
const LATEST = BigInt(Date.parse("9999-12-31T23:59:59Z")) * MILLISECOND + 999_999_999n;

/** CEL timestamps are limited to the years 1 to 9999. */
export function inRange(nanos: bigint): boolean {
  return nanos >= EARLIEST && nanos <= LATEST;
}

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["ms", MILLISECOND],
  ["s", SECOND],
  ["m", 60n * SECOND],
  ["h", 3600n * SECOND],
]);

/** Go's `time.ParseDuration`: `1h30m`, `-1.5h`, `0`. There are no days (§3.3). */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/.exec(text);
  if (match === null) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of (match[2] ?? "").matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|ms|s|m|h)/g,
  )) {
    const size = UNITS.get(unit) ?? 0n;
    total += BigInt(whole === "" ? "0" : whole) * size;
    if (fraction !== "") total += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  return match[1] === "-" ? -total : total;
}

/** `string(timestamp)` keeps the offset and the fraction (§3.3). */
export function timestampText(nanos: bigint, offset: number): string {
  const fraction = fractionOf(nanos).replace(/0+$/, "");
  const zone = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${clock(Math.abs(offset))}`;
  return secondsText(nanos + BigInt(offset) * 60n * SECOND) + (fraction === "" ? "" : `.${fraction}`) + zone;
}

/** `string(duration)`: seconds, `5400s` (§3.3). */
export function durationText(nanos: bigint): string {
  return `${Number(nanos) / 1e9}s`;
}

/** The date and time of day in UTC, shifted by `offset` minutes, without nanoseconds. */
export function calendar(nanos: bigint, offset: number): Date {
  return new Date(Number(floorDiv(nanos, MILLISECOND)) + offset * 60_000);
}

function secondsText(nanos: bigint): string {
  return new Date(Number(floorDiv(nanos, SECOND)) * 1000).toISOString().slice(0, 19);
}

function fractionOf(nanos: bigint): string {
  return String(nanos - floorDiv(nanos, SECOND) * SECOND).padStart(9, "0");
}

function clock(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
