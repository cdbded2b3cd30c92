/** Helpers of generated code for timestamps and durations, in the representation that `times.ts` describes. */

import { makeTimestamp, parseTimestamp } from "../../cel/time.js";
import { Timestamp } from "../../cel/values.js";

const NANOS = 1_000_000_000;
/** Durations of fewer seconds than this, positive or negative, have nanoseconds that fit a signed 64-bit integer. */
const MAX_SPAN = 9_223_372_036;

export const EPOCH = new Timestamp(0, 0);

export function pair(seconds: number, nanos: number): Timestamp {
  return new Timestamp(seconds, nanos);
}

/** Parses a timestamp; undefined for any other value. */
export function readTime(value: unknown): Timestamp | undefined {
  return typeof value === "string" ? parseTimestamp(value) : undefined;
}

/** Negative, zero or positive, as `a` is before, at or after `b`. */
export function order(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

type TimeMaker<T> = (seconds: number, nanos: number) => T;

function plus<T>(a: Timestamp, b: Timestamp, make: TimeMaker<T>): T {
  const nanos = a.nanos + b.nanos;
  return nanos < NANOS ? make(a.seconds + b.seconds, nanos) : make(a.seconds + b.seconds + 1, nanos - NANOS);
}

function minus<T>(a: Timestamp, b: Timestamp, make: TimeMaker<T>): T {
  const nanos = a.nanos - b.nanos;
  return nanos >= 0 ? make(a.seconds - b.seconds, nanos) : make(a.seconds - b.seconds - 1, nanos + NANOS);
}

function time(seconds: number, nanos: number): Timestamp | undefined {
  return makeTimestamp(seconds, nanos, 0);
}

/** A duration; undefined near the ends of its range. */
export function span(seconds: number, nanos: number): Timestamp | undefined {
  return seconds > -MAX_SPAN && seconds < MAX_SPAN ? new Timestamp(seconds, nanos) : undefined;
}

type Join = (a: Timestamp, b: Timestamp) => Timestamp | undefined;

export const timePlus: Join = (a, b) => plus(a, b, time);
export const timeMinus: Join = (a, b) => minus(a, b, time);
export const spanBetween: Join = (a, b) => minus(a, b, span);
export const spanPlus: Join = (a, b) => plus(a, b, span);
export const spanMinus: Join = (a, b) => minus(a, b, span);
