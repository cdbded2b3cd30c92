/**
 * `json.encode` (cel-go `ext/encoders.go` of v0.30): a value as protobuf's JSON. Integers beyond 2^53 become strings,
 * and keys are sorted. As in Go's JSON, characters that HTML or JavaScript could take otherwise are escaped. The server's
 * white space varies by build on purpose; here there is none.
 *
 * `json.parse` of level 0.58: the value of a JSON text, in the types of attributes. Read in the changelog, not run. What
 * readers of JSON understand differently is an error: a key that stands twice, a number beyond the doubles, half of a
 * surrogate pair.
 */

import { duplicateKey } from "../duplicate-keys.js";
import { keysOf, lookup } from "../equality.js";
import { type Evaluation, fail, spend } from "../evaluation.js";
import { type JsonValue, toJson } from "../json.js";
import { compareStrings, isWellFormed } from "../text.js";
import { DYN, STRING } from "../types.js";
import { type CelList, type CelMap, type CelValue, isList, isMap, OptionalValue } from "../values.js";
import { atLevel, type Overload, unary } from "./overload.js";

function encode(ev: Evaluation, value: CelValue): string | undefined {
  const json = jsonOf(ev, value);
  return json === undefined ? undefined : textOf(ev, json);
}

/** `value` as JSON; an error for a value that has no form in JSON, or that is nested too deeply. */
export function jsonOf(ev: Evaluation, value: CelValue): JsonValue | undefined {
  return payFor(ev, value, 0) ? toJson(ev, value) : undefined;
}

/** Lists and maps nested deeper than this are neither encoded nor parsed. */
export const MAX_DEPTH = 256;

function parse(ev: Evaluation, text: string): JsonValue | undefined {
  // A character is read twice: for its value, and for keys that stand twice.
  if (!spend(ev, 1 + (text.length >> 3))) return undefined;
  const value = parsed(text);
  if (value === undefined || !isExact(value, 0)) return fail(ev, "the text is not JSON, or has no exact value");
  const twice = duplicateKey(text);
  return twice === undefined ? value : fail(ev, "a key stands twice in the JSON text");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if all numbers of a parsed value are finite, all texts well formed, and it is not nested too deeply. */
function isExact(value: unknown, depth: number): value is JsonValue {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value !== "object" || value === null) return true;
  return depth < MAX_DEPTH && Object.entries(value).every(([key, one]) => isWellFormed(key) && isExact(one, depth + 1));
}

/** Pays for every nested member before encoding starts. */
function payFor(ev: Evaluation, value: CelValue, depth: number): boolean {
  if (value instanceof OptionalValue) return value.value === undefined || payFor(ev, value.value, depth + 1);
  const members = isList(value) ? value : isMap(value) ? valuesOf(ev, value) : NONE;
  if (members === undefined || depth > MAX_DEPTH) return members !== undefined && fail(ev, TOO_DEEP) !== undefined;
  if (members.length > 0 && !spend(ev, 1 + members.length)) return false;
  return members.every((member) => typeof member !== "object" || payFor(ev, member, depth + 1));
}

const TOO_DEEP = "values are nested too deeply";
const NONE: CelList = [];

function valuesOf(ev: Evaluation, map: CelMap): CelList | undefined {
  const keys = keysOf(map);
  return spend(ev, keys.length) ? keys.map((key) => lookup(map, key) ?? null) : undefined;
}

function textOf(ev: Evaluation, json: JsonValue): string | undefined {
  if (typeof json === "string") return spend(ev, 1 + (json.length >> 4)) ? quoted(json) : undefined;
  if (typeof json !== "object" || json === null) return Object.is(json, -0) ? "-0" : String(json);
  if (isJsonList(json)) return listText(ev, json);
  const keys = Object.keys(json).sort(compareStrings);
  const entries: string[] = [];
  for (const key of keys) {
    const text = textOf(ev, json[key] ?? null);
    if (text === undefined) return undefined;
    entries.push(`${quoted(key)}:${text}`);
  }
  return `{${entries.join(",")}}`;
}

/** A text in quotes, with the escapes of Go's JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function listText(ev: Evaluation, list: readonly JsonValue[]): string | undefined {
  const items: string[] = [];
  for (const item of list) {
    const text = textOf(ev, item);
    if (text === undefined) return undefined;
    items.push(text);
  }
  return `[${items.join(",")}]`;
}

function isJsonList(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json);
}

export const jsonFunctions: readonly Overload[] = [
  unary("global", "json.encode", DYN, STRING, encode),
  atLevel("0.58", unary("global", "json.parse", STRING, DYN, parse)),
];
