/**
 * `"…".format([…])` (cel-go `ext/formatting_v2.go` of v0.30): `%s %d %f %e %b %o %x %X`, with a precision that only
 * `%f` and `%e` use.
 */

import { isEntries, keysOf, lookup, typeOf } from "./equality.js";
import { type Evaluation, fail, spend } from "./evaluation.js";
import { formatFixed, formatPlain, formatScientific, infinity } from "./numbers.js";
import { compareStrings, decodeUtf8, encodeUtf8, replaceInvalid } from "./text.js";
import { formatDuration, formatTimestamp } from "./time.js";
import {
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  isList,
  isMap,
  Timestamp,
  TypeValue,
  Uint,
} from "./values.js";

/** Limit on the digits after the point. */
export const MAX_PRECISION = 100;
const DEFAULT_PRECISION = 6;
const MAX_DEPTH = 256;

/** Matches one clause at `lastIndex`. */
export const CLAUSE = /%(?:%|(?:\.([0-9]+))?([sdfebxXo]))/y;

/** Fills the clauses of `pattern` with `args`, in order. Extra arguments are ignored. */
export function format(ev: Evaluation, pattern: string, args: CelList): string | undefined {
  if (!spend(ev, 1 + (pattern.length >> 5))) return undefined;
  const pieces: string[] = [];
  let next = 0;
  let from = 0;
  for (let at = pattern.indexOf("%"); at >= 0; at = pattern.indexOf("%", from)) {
    pieces.push(pattern.slice(from, at));
    CLAUSE.lastIndex = at;
    const clause = CLAUSE.exec(pattern);
    if (clause === null) return fail(ev, "could not parse formatting clause");
    from = CLAUSE.lastIndex;
    const verb = clause[2];
    if (verb === undefined) {
      pieces.push("%");
      continue;
    }
    const value = args[next];
    if (value === undefined) return fail(ev, `index ${next} out of range`);
    next++;
    const text = formatClause(ev, verb, clause[1], value);
    if (text === undefined) return undefined;
    pieces.push(text);
  }
  pieces.push(pattern.slice(from));
  return pieces.join("");
}

function formatClause(
  ev: Evaluation,
  verb: string,
  precision: string | undefined,
  value: CelValue,
): string | undefined {
  switch (verb) {
    case "s":
      return formatText(ev, value, 0);
    case "d":
      if (typeof value === "number") return formatDecimal(value);
      return integerOf(value)?.toString() ?? misused(ev, "decimal", "ints, uints, and doubles", value);
    case "f":
    case "e":
      return formatReal(ev, verb, precision, value);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return integerOf(value)?.toString(2) ?? misused(ev, "binary", "ints, uints, and bools", value);
    case "o":
      return integerOf(value)?.toString(8) ?? misused(ev, "octal", "ints and uints", value);
    default: {
      const text = formatHexadecimal(ev, value);
      return verb === "X" ? text?.toUpperCase() : text;
    }
  }
}

function misused(ev: Evaluation, clause: string, types: string, value: CelValue): undefined {
  return fail(ev, `${clause} clause can only be used on ${types}, was given ${typeOf(value)}`);
}

function integerOf(value: CelValue): bigint | undefined {
  if (typeof value === "bigint") return value;
  return value instanceof Uint ? value.value : undefined;
}

function formatDecimal(value: number): string {
  return Number.isFinite(value) ? formatPlain(value) : infinity(value);
}

function formatReal(ev: Evaluation, verb: "f" | "e", digits: string | undefined, value: CelValue): string | undefined {
  const precision = digits === undefined ? DEFAULT_PRECISION : Number(digits);
  if (precision > MAX_PRECISION)
    return fail(ev, `precision ${digits} exceeds maximum allowed precision ${MAX_PRECISION}`);
  if (!spend(ev, 10 + (precision >> 4))) return undefined;
  const integer = integerOf(value);
  const real = integer === undefined ? value : Number(integer);
  if (typeof real !== "number") {
    return misused(ev, verb === "f" ? "fixed-point" : "scientific", "ints, uints, and doubles", value);
  }
  if (!Number.isFinite(real)) return infinity(real);
  return verb === "f" ? formatFixed(real, precision) : formatScientific(real, precision);
}

function formatHexadecimal(ev: Evaluation, value: CelValue): string | undefined {
  const integer = integerOf(value);
  if (integer !== undefined) return integer.toString(16);
  const length = typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
  if (!spend(ev, length >> 3)) return undefined;
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  if (!(bytes instanceof Uint8Array)) return misused(ev, "hex", "ints, uints, bytes, and strings", value);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `%s`: any value, without quotes; a timestamp in UTC. */
function formatText(ev: Evaluation, value: CelValue, depth: number): string | undefined {
  if (typeof value === "string") return spend(ev, value.length >> 6) ? value : undefined;
  if (typeof value === "number") return formatDecimal(value);
  if (typeof value !== "object") return value.toString();
  if (value === null) return "null";
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Timestamp) return formatTimestamp(value, 0);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) {
    if (!spend(ev, value.length >> 6)) return undefined;
    return decodeUtf8(value) ?? replaceInvalid(value);
  }
  if (!isList(value) && !isMap(value)) return misused(ev, "string", "values that have a text", value);
  if (depth >= MAX_DEPTH) return fail(ev, "values are nested too deeply");
  return isList(value) ? formatList(ev, value, depth) : formatMap(ev, value, depth);
}

function formatList(ev: Evaluation, list: CelList, depth: number): string | undefined {
  if (!spend(ev, 1 + list.length)) return undefined;
  const texts: string[] = [];
  for (const element of list) {
    const text = formatText(ev, element, depth + 1);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return `[${texts.join(", ")}]`;
}

/** Entries are sorted by the texts of their keys. */
function formatMap(ev: Evaluation, map: CelMap, depth: number): string | undefined {
  const keys = keysOf(map);
  if (!spend(ev, 1 + keys.length * 4)) return undefined;
  const entries: { key: string; text: string }[] = [];
  for (const key of keys) {
    const value = isEntries(map) ? map.get(key) : lookup(map, key);
    const name = formatText(ev, key, depth + 1);
    const text = value === undefined ? undefined : formatText(ev, value, depth + 1);
    if (name === undefined || text === undefined) return undefined;
    entries.push({ key: name, text });
  }
  entries.sort((a, b) => compareStrings(a.key, b.key));
  return `{${entries.map((entry) => `${entry.key}: ${entry.text}`).join(", ")}}`;
}
