/** Values as text for auditors: in CEL's own notation, truncated if they are long. */

import { MessageValue } from "./message-value.js";
import { formatDuration, formatTimestamp } from "./time.js";
import { type CelMap, type CelValue, Duration, Entries, isMap, Opaque, Timestamp, TypeValue, Uint } from "./values.js";

/** Maximum length of a value's text, in UTF-16 code units, without the ellipsis. */
const MAX_SHOWN = 160;

const CUT = "…";
const MAX_DEPTH = 6;

/** `"u1"`, `3`, `["a", "b"]`, `{"k": 1}`, `timestamp("…")`. A text longer than {@link MAX_SHOWN} ends in `…`. */
export function showValue(value: CelValue, limit = MAX_SHOWN): string {
  const text = shown(value, limit, 0);
  return text.length <= limit ? text : text.slice(0, limit) + CUT;
}

/** Visits no more of a value than fits into the limit. */
function shown(value: CelValue, limit: number, depth: number): string {
  if (typeof value === "string") return quoted(value, limit);
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean" || value === null) {
    return String(value);
  }
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof Duration) return `duration("${formatDuration(value)}")`;
  if (value instanceof Uint8Array) return `b"${bytes(value, limit)}"`;
  if (value instanceof TypeValue) return value.name;
  if (depth >= MAX_DEPTH) return CUT;
  if (Array.isArray(value)) return enclosed("[", elements(value, limit, depth), "]", limit);
  if (value instanceof MessageValue) return enclosed("{", entries(value.shown, limit, depth), "}", limit);
  if (value instanceof Opaque) return `<${value.typeName}>`;
  return isMap(value) ? enclosed("{", entries(value, limit, depth), "}", limit) : CUT;
}

/** Escapes control characters and the like, so that a value cannot send control sequences to the terminal. */
function quoted(text: string, limit: number): string {
  const start = text.slice(0, limit);
  const literal = JSON.stringify(start).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => {
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return text.length > limit ? `${literal.slice(0, -1)}${CUT}"` : literal;
}

function bytes(value: Uint8Array, limit: number): string {
  const start = Array.from(value.subarray(0, limit), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return value.length > limit ? start + CUT : start;
}

function* elements(list: readonly CelValue[], limit: number, depth: number): Generator<string> {
  for (const element of list) yield shown(element, limit, depth + 1);
}

function* entries(map: CelMap, limit: number, depth: number): Generator<string> {
  if (map instanceof Entries) {
    for (const [key, value] of map) yield `${shown(key, limit, depth + 1)}: ${shown(value, limit, depth + 1)}`;
    return;
  }
  for (const [key, value] of Object.entries(map)) {
    yield `${quoted(key, limit)}: ${value === undefined ? CUT : shown(value, limit, depth + 1)}`;
  }
}

function enclosed(open: string, items: Iterable<string>, close: string, limit: number): string {
  let text = open;
  let first = true;
  for (const item of items) {
    if (text.length > limit) return `${text}${CUT}`;
    text += first ? item : `, ${item}`;
    first = false;
  }
  return text + close;
}
