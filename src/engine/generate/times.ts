/**
 * Timestamps and durations in generated code. A duration is written as a timestamp is, as whole seconds (the next lower
 * number of them) and nanoseconds beside them, so that numbers suffice. What comes near the ends of a range
 * is left to the closures.
 */

import { TIME_COST } from "../../cel/functions/conversions.js";
import { makeTimestamp, parseDuration, parseTimestamp } from "../../cel/time.js";
import { Timestamp } from "../../cel/values.js";
import type { Draft } from "./draft.js";
import { type Js, js } from "./js.js";
import { madeOr, type Operand } from "./operands.js";

const NANOS = 1_000_000_000;
/** Durations of fewer seconds than this, both ways, have nanoseconds that fit a signed 64-bit integer. */
const MAX_SPAN = 9_223_372_036;

export const EPOCH = new Timestamp(0, 0);

export function pair(seconds: number, nanos: number): Timestamp {
  return new Timestamp(seconds, nanos);
}

/** The timestamp that a text is. */
export function readTime(value: unknown): Timestamp | undefined {
  return typeof value === "string" ? parseTimestamp(value) : undefined;
}

/** Negative, zero or positive, as `a` is before, at or after `b`. */
export function order(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

type Make<T> = (seconds: number, nanos: number) => T;

function plus<T>(a: Timestamp, b: Timestamp, make: Make<T>): T {
  const nanos = a.nanos + b.nanos;
  return nanos < NANOS ? make(a.seconds + b.seconds, nanos) : make(a.seconds + b.seconds + 1, nanos - NANOS);
}

function minus<T>(a: Timestamp, b: Timestamp, make: Make<T>): T {
  const nanos = a.nanos - b.nanos;
  return nanos >= 0 ? make(a.seconds - b.seconds, nanos) : make(a.seconds - b.seconds - 1, nanos + NANOS);
}

function time(seconds: number, nanos: number): Timestamp | undefined {
  return makeTimestamp(seconds, nanos, 0);
}

function span(seconds: number, nanos: number): Timestamp | undefined {
  return seconds > -MAX_SPAN && seconds < MAX_SPAN ? new Timestamp(seconds, nanos) : undefined;
}

type Join = (a: Timestamp, b: Timestamp) => Timestamp | undefined;

export const timePlus: Join = (a, b) => plus(a, b, time);
export const timeMinus: Join = (a, b) => minus(a, b, time);
export const spanBetween: Join = (a, b) => minus(a, b, span);
export const spanPlus: Join = (a, b) => plus(a, b, span);
export const spanMinus: Join = (a, b) => minus(a, b, span);

/** `timestamp(x)`. */
export function timestamp(of: Operand, draft: Draft): Operand | undefined {
  if (of.kind === "constant") {
    const value = typeof of.value === "string" ? parseTimestamp(of.value) : undefined;
    return value === undefined ? undefined : { kind: "time", code: fixed(value, draft) };
  }
  if ((of.kind !== "any" && of.kind !== "string") || !draft.pays(TIME_COST)) return undefined;
  return { kind: "time", code: orEpoch(js`T(${of.code})`, draft) };
}

/** `duration("1h")`. */
export function duration(of: Operand, draft: Draft): Operand | undefined {
  const nanos = of.kind === "constant" && typeof of.value === "string" ? parseDuration(of.value)?.nanos : undefined;
  if (nanos === undefined) return undefined;
  const rest = ((nanos % BILLION) + BILLION) % BILLION;
  const value = span(Number((nanos - rest) / BILLION), Number(rest));
  return value === undefined ? undefined : { kind: "span", code: fixed(value, draft) };
}

const BILLION = BigInt(NANOS);

function fixed({ seconds, nanos }: Timestamp, draft: Draft): Js {
  return draft.fixed(js`N(${seconds}, ${nanos})`);
}

/** `now()`. Without a clock it is left to the closures. */
export function now(draft: Draft): Operand {
  draft.readsClock = true;
  const clock = draft.use(js`n`);
  return { kind: "time", code: js`(${clock} !== undefined ? ${clock} : (z = 1, E))` };
}

/** `timeSince(x)`. */
export function timeSince(of: Operand, draft: Draft): Operand | undefined {
  return difference(now(draft), of, draft);
}

/** `a + b` where one of them is a time or a span. */
export function sum(a: Operand, b: Operand, draft: Draft): Operand | undefined {
  if (a.kind === "time" && b.kind === "span") return joined("time", js`TP(${a.code}, ${b.code})`, draft);
  if (a.kind === "span" && b.kind === "time") return joined("time", js`TP(${a.code}, ${b.code})`, draft);
  if (a.kind === "span" && b.kind === "span") return joined("span", js`SP(${a.code}, ${b.code})`, draft);
  return undefined;
}

/** `a - b`, likewise. */
export function difference(a: Operand, b: Operand, draft: Draft): Operand | undefined {
  if (a.kind === "time" && b.kind === "time") return joined("span", js`SB(${a.code}, ${b.code})`, draft);
  if (a.kind === "time" && b.kind === "span") return joined("time", js`TM(${a.code}, ${b.code})`, draft);
  if (a.kind === "span" && b.kind === "span") return joined("span", js`SM(${a.code}, ${b.code})`, draft);
  return undefined;
}

function joined(kind: "time" | "span", call: Js, draft: Draft): Operand {
  return { kind, code: orEpoch(call, draft) };
}

function orEpoch(call: Js, draft: Draft): Js {
  return madeOr(call, js`E`, draft.temp());
}

/** Whether a value is a time or a span, which are compared by {@link compared} alone. */
export function isTime({ kind }: Operand): boolean {
  return kind === "time" || kind === "span";
}

/** A comparison of two times, or of two spans: `operator` is written before a 0. */
export function compared(operator: Js, a: Operand, b: Operand): Js | undefined {
  if (a.kind === "time" && b.kind === "time") return js`(Y(${a.code}, ${b.code}) ${operator} 0)`;
  return a.kind === "span" && b.kind === "span" ? js`(Y(${a.code}, ${b.code}) ${operator} 0)` : undefined;
}
