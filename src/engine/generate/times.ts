/**
 * Timestamps and durations in generated code. A duration is represented as a timestamp: whole seconds, rounded down,
 * and nanoseconds beside them. So numbers suffice. Values near the ends of a range are left to closures.
 */

import { TIME_COST } from "../../cel/functions/conversions.js";
import { parseDuration, parseTimestamp } from "../../cel/time.js";
import type { Timestamp } from "../../cel/values.js";
import { type Js, js } from "../frame/js.js";
import type { FunctionDraft } from "./draft.js";
import { type JsOperand, madeOr } from "./operands.js";
import { span } from "./time-helpers.js";

const NANOS = 1_000_000_000;

/** `timestamp(x)`. */
export function timestamp(of: JsOperand, draft: FunctionDraft): JsOperand | undefined {
  if (of.kind === "constant") {
    const value = typeof of.value === "string" ? parseTimestamp(of.value) : undefined;
    return value === undefined ? undefined : { kind: "time", code: fixed(value, draft) };
  }
  if ((of.kind !== "any" && of.kind !== "string") || !draft.pays(TIME_COST)) return undefined;
  return { kind: "time", code: orEpoch(js`T(${of.code})`, draft) };
}

/** `duration("1h")`. */
export function duration(of: JsOperand, draft: FunctionDraft): JsOperand | undefined {
  const nanos = of.kind === "constant" && typeof of.value === "string" ? parseDuration(of.value)?.nanos : undefined;
  if (nanos === undefined) return undefined;
  const rest = ((nanos % BILLION) + BILLION) % BILLION;
  const value = span(Number((nanos - rest) / BILLION), Number(rest));
  return value === undefined ? undefined : { kind: "span", code: fixed(value, draft) };
}

const BILLION = BigInt(NANOS);

function fixed({ seconds, nanos }: Timestamp, draft: FunctionDraft): Js {
  return draft.fixed(js`N(${seconds}, ${nanos})`);
}

/** `now()`. Without a clock it is left to the closures. */
export function now(draft: FunctionDraft): JsOperand {
  const clock = draft.use(js`n`);
  return { kind: "time", code: js`(${clock} !== undefined ? ${clock} : (z = 1, E))` };
}

/** `timeSince(x)`. */
export function timeSince(of: JsOperand, draft: FunctionDraft): JsOperand | undefined {
  return difference(now(draft), of, draft);
}

/** `a + b` where one of them is a time or a span. */
export function sum(a: JsOperand, b: JsOperand, draft: FunctionDraft): JsOperand | undefined {
  if (a.kind === "time" && b.kind === "span") return joined("time", js`TP(${a.code}, ${b.code})`, draft);
  if (a.kind === "span" && b.kind === "time") return joined("time", js`TP(${a.code}, ${b.code})`, draft);
  if (a.kind === "span" && b.kind === "span") return joined("span", js`SP(${a.code}, ${b.code})`, draft);
  return undefined;
}

/** `a - b`, likewise. */
export function difference(a: JsOperand, b: JsOperand, draft: FunctionDraft): JsOperand | undefined {
  if (a.kind === "time" && b.kind === "time") return joined("span", js`SB(${a.code}, ${b.code})`, draft);
  if (a.kind === "time" && b.kind === "span") return joined("time", js`TM(${a.code}, ${b.code})`, draft);
  if (a.kind === "span" && b.kind === "span") return joined("span", js`SM(${a.code}, ${b.code})`, draft);
  return undefined;
}

function joined(kind: "time" | "span", call: Js, draft: FunctionDraft): JsOperand {
  return { kind, code: orEpoch(call, draft) };
}

function orEpoch(call: Js, draft: FunctionDraft): Js {
  return madeOr(call, js`E`, draft.temp());
}

/** Whether a value is a time or a span. Only {@link compared} compares these. */
export function isTime({ kind }: JsOperand): boolean {
  return kind === "time" || kind === "span";
}

/** A comparison of two times, or of two spans: `operator` is written before a 0. */
export function compared(operator: Js, a: JsOperand, b: JsOperand): Js | undefined {
  if (a.kind === "time" && b.kind === "time") return js`(Y(${a.code}, ${b.code}) ${operator} 0)`;
  return a.kind === "span" && b.kind === "span" ? js`(Y(${a.code}, ${b.code}) ${operator} 0)` : undefined;
}
