/** Instants and durations: reading and writing them as Go does, the calendar, and time zones. */

import { formatPlain } from "./numbers.js";
import { Duration, Timestamp } from "./values.js";

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;
export const MIN_NANOS = -(2n ** 63n);
export const MAX_NANOS = 2n ** 63n - 1n;

const DAY = 86_400;
const DIGIT_0 = 48;

/** A time in milliseconds since 1970, as `Date` has it. */
export function timestampAt(millis: number): Timestamp {
  const seconds = Math.floor(millis / 1000);
  return new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000);
}

/** A time as a `Date`, without the part below a millisecond. */
export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000));
}

/** The number of days from 1970-01-01 to a date of the Gregorian calendar (months from 1). */
export function daysFromCivil(year: number, month: number, day: number): number {
  // Years start in March here, so that the leap day is the last of the year.
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export interface CivilDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
}

/** The date of a number of days since 1970-01-01. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Stands for "not a digit": so negative that no sum with digits is positive. */
const NO_DIGIT = -1_000_000;

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - DIGIT_0;
  return value >= 0 && value <= 9 ? value : NO_DIGIT;
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

/** RFC 3339, strictly: capital `T` and `Z`, a fraction after a dot, an offset up to ±23:59. No leap seconds. */
export function parseTimestamp(text: string): Timestamp | undefined {
  if (text.length < 19 || text.length > 1024) return undefined;
  if (!hasSeparators(text)) return undefined;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;

  let at = 19;
  let nanos = 0;
  const mark = text.charCodeAt(at);
  if (mark === DOT) {
    const start = ++at;
    for (let scale = 100_000_000; digit(text, at) >= 0; scale = Math.floor(scale / 10))
      nanos += digit(text, at++) * scale;
    if (at === start) return undefined;
  }
  const offset = parseOffset(text, at);
  if (offset === undefined) return undefined;
  const seconds = daysFromCivil(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset * 60;
  return makeTimestamp(seconds, nanos, offset);
}

const COLON = 58;
const DASH = 45;
const DOT = 46;
const LETTER_T = 84;

function hasSeparators(text: string): boolean {
  return (
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    text.charCodeAt(10) === LETTER_T &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  );
}

/** `Z` or `±hh:mm` up to the end of the text, in minutes. */
function parseOffset(text: string, at: number): number | undefined {
  const sign = text[at];
  if (sign === "Z") return text.length === at + 1 ? 0 : undefined;
  if ((sign !== "+" && sign !== "-") || text.length !== at + 6 || text[at + 3] !== ":") return undefined;
  const hours = two(text, at + 1);
  const minutes = two(text, at + 4);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  const offset = hours * 60 + minutes;
  return sign === "-" && offset !== 0 ? -offset : offset;
}

/** An instant within the years 1 … 9999; otherwise undefined. */
export function makeTimestamp(seconds: number, nanos: number, offset: number): Timestamp | undefined {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS ? new Timestamp(seconds, nanos, offset) : undefined;
}

/** RFC 3339 with the timestamp's own offset and as few digits of the fraction as it needs. */
export function formatTimestamp(time: Timestamp, offset = time.offset): string {
  const { days, rest } = splitDays(time.seconds + offset * 60);
  const { year, month, day } = civilFromDays(days);
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const clock = `${pad(Math.floor(rest / 3600), 2)}:${pad(Math.floor(rest / 60) % 60, 2)}:${pad(rest % 60, 2)}`;
  const fraction = time.nanos === 0 ? "" : `.${pad(time.nanos, 9).replace(/0+$/, "")}`;
  return `${date}T${clock}${fraction}${formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return "Z";
  const minutes = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width, "0")}` : String(value).padStart(width, "0");
}

/** Seconds since 1970 as whole days and the seconds of the day. */
export function splitDays(seconds: number): { days: number; rest: number } {
  const days = Math.floor(seconds / DAY);
  return { days, rest: seconds - days * DAY };
}

const UNIT = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/y;
const NANOS_OF = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** Go's `time.ParseDuration`: `1h30m`, `-1.5s`, `.5ms`, and `0` alone without a unit. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > 256) return undefined;
  const isNegative = text.startsWith("-");
  const start = isNegative || text.startsWith("+") ? 1 : 0;
  if (text.length === start) return undefined;
  if (text.length === start + 1 && text[start] === "0") return new Duration(0n);
  let total = 0n;
  UNIT.lastIndex = start;
  while (UNIT.lastIndex < text.length) {
    const part = UNIT.exec(text);
    if (part === null) return undefined;
    const [, whole = "", fraction = "", unit = ""] = part;
    const nanos = NANOS_OF.get(unit);
    if (nanos === undefined || (whole === "" && fraction === "")) return undefined;
    total += BigInt(whole) * nanos + fractionOf(fraction, nanos);
  }
  return makeDuration(isNegative ? -total : total);
}

/** A fraction of a unit, computed in doubles as Go does: digits beyond 63 bits are ignored, the rest is rounded. */
function fractionOf(digits: string, unit: bigint): bigint {
  let fraction = 0n;
  let scale = 1;
  for (const char of digits) {
    const next = fraction * 10n + BigInt(char);
    if (next > MAX_NANOS) break;
    fraction = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(fraction) * (Number(unit) / scale)));
}

/** A duration of nanoseconds that fit a signed 64-bit integer; otherwise undefined. */
export function makeDuration(nanos: bigint): Duration | undefined {
  return nanos >= MIN_NANOS && nanos <= MAX_NANOS ? new Duration(nanos) : undefined;
}

/** The duration in units of `unit` nanoseconds, computed in doubles as Go's `Seconds()`, `Minutes()`, `Hours()` do. */
export function durationIn(duration: Duration, unit: bigint): number {
  return Number(duration.nanos / unit) + Number(duration.nanos % unit) / Number(unit);
}

/** Seconds as a decimal number, with an `s`. */
export function formatDuration(duration: Duration): string {
  return `${formatPlain(durationIn(duration, 1_000_000_000n))}s`;
}
