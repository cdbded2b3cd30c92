/**
 * Functions of strings: cel-go's standard ones and its extension `ext/strings.go`. Positions count code points. Costs
 * are computed from the lengths and paid before the work; a step is about 64 characters scanned, or 16 split.
 */

import { TEXT_STEP } from "../equality.js";
import { type Evaluation, fail, spend } from "../evaluation.js";
import { codePointLength, offsetOf } from "../text.js";
import { BOOL, INT, list, STRING } from "../types.js";
import type { CelList } from "../values.js";
import { binary, type Overload, quaternary, ternary, unary } from "./overload.js";

const STRINGS = list(STRING);

function outOfRange(ev: Evaluation, index: bigint): undefined {
  return fail(ev, `index out of range: ${index}`);
}

/** The offset in code units of the code point `index`; an error if it is negative or beyond the end. */
function offset(ev: Evaluation, text: string, index: bigint): number | undefined {
  if (index < 0n || index > text.length) return outOfRange(ev, index);
  return offsetOf(text, Number(index)) ?? outOfRange(ev, index);
}

function scan(ev: Evaluation, text: string): boolean {
  return text.length < 64 || spend(ev, text.length >> 6);
}

function takeApart(ev: Evaluation, text: string): boolean {
  return spend(ev, 1 + (text.length >> 4));
}

/** Pays for a search, which can cost the product of both lengths. */
function search(ev: Evaluation, text: string, part: string): boolean {
  return text.length < 64 || spend(ev, (text.length >> 6) * (1 + (part.length >> 8)));
}

/** Pays for comparing a text with a part of another. */
function compared(ev: Evaluation, part: string): boolean {
  return part.length < TEXT_STEP || spend(ev, Math.floor(part.length / TEXT_STEP));
}

function charAt(ev: Evaluation, text: string, index: bigint): string | undefined {
  if (!scan(ev, text)) return undefined;
  const at = offset(ev, text, index);
  if (at === undefined) return undefined;
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** Converts a position in code units to one in code points; -1 stays. */
function positionOf(text: string, at: number): bigint {
  return at < 0 ? -1n : BigInt(codePointLength(text.slice(0, at)));
}

function indexOf(ev: Evaluation, text: string, part: string, from = 0n): bigint | undefined {
  if (from < 0n) return outOfRange(ev, from);
  if (!search(ev, text, part)) return undefined;
  const start = from > text.length ? undefined : offsetOf(text, Number(from));
  // From beyond the end, only an empty text is found.
  if (start === undefined) return part === "" ? positionOf(text, text.length) : -1n;
  return positionOf(text, text.indexOf(part, start));
}

function lastIndexOf(ev: Evaluation, text: string, part: string): bigint | undefined {
  if (!search(ev, text, part)) return undefined;
  return positionOf(text, text.lastIndexOf(part));
}

function lastIndexBefore(ev: Evaluation, text: string, part: string, from: bigint): bigint | undefined {
  if (from < 0n) return outOfRange(ev, from);
  if (!search(ev, text, part)) return undefined;
  const start = from > text.length ? undefined : offsetOf(text, Number(from));
  // Only a position within the text can be the last one; from the end on, only an empty text is found.
  if (start === undefined || start >= text.length) return part === "" ? positionOf(text, text.length) : -1n;
  return positionOf(text, text.lastIndexOf(part, start));
}

function substring(ev: Evaluation, text: string, from: bigint, to?: bigint): string | undefined {
  if (!scan(ev, text)) return undefined;
  if (to !== undefined && to < from) return fail(ev, `invalid substring range. start: ${from}, end: ${to}`);
  const start = offset(ev, text, from);
  const end = to === undefined ? text.length : offset(ev, text, to);
  return start === undefined || end === undefined ? undefined : text.slice(start, end);
}

/** Go's `strings.SplitN`; a negative limit means no limit. */
function splitText(ev: Evaluation, text: string, separator: string, limit: bigint): string[] | undefined {
  if (!takeApart(ev, text) || !search(ev, text, separator)) return undefined;
  if (limit === 0n) return [];
  const parts: string[] = [];
  let from = 0;
  while (limit < 0n || BigInt(parts.length) < limit - 1n) {
    const at = separator === "" ? nextPoint(text, from) : text.indexOf(separator, from);
    if (at < 0) break;
    if (!spend(ev, 1)) return undefined;
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  if (separator !== "" || from < text.length) parts.push(text.slice(from));
  return parts;
}

/** The position after the code point at `from`; -1 if that is the end of the text. */
function nextPoint(text: string, from: number): number {
  const point = text.codePointAt(from);
  if (point === undefined) return -1;
  const next = from + (point > 0xffff ? 2 : 1);
  return next < text.length ? next : -1;
}

/** Go's `strings.Replace`; a negative limit means no limit. An empty text is found around each code point. */
function replace(ev: Evaluation, text: string, old: string, by: string, limit = -1n): string | undefined {
  if (!takeApart(ev, text) || !search(ev, text, old)) return undefined;
  const perMatch = 1 + (by.length >> 6);
  const pieces: string[] = [];
  let from = 0;
  let at = old === "" ? 0 : text.indexOf(old);
  for (let n = limit; at >= 0 && n !== 0n; n--) {
    if (!spend(ev, perMatch)) return undefined;
    pieces.push(text.slice(from, at), by);
    from = at + old.length;
    at = old === "" ? pointAfter(text, from) : text.indexOf(old, from);
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** The position after the code point at `from`, the end of the text included; -1 beyond it. */
function pointAfter(text: string, from: number): number {
  const point = text.codePointAt(from);
  return point === undefined ? -1 : from + (point > 0xffff ? 2 : 1);
}

function join(ev: Evaluation, elements: CelList, separator: string): string | undefined {
  if (!spend(ev, 1 + (elements.length >> 2) + Math.floor((elements.length * separator.length) / 64))) return undefined;
  const texts: string[] = [];
  for (const element of elements) {
    if (typeof element !== "string") return fail(ev, "no such overload");
    if (!scan(ev, element)) return undefined;
    texts.push(element);
  }
  return texts.join(separator);
}

/** Go's `unicode.IsSpace`. Unlike JavaScript it includes U+0085 and excludes U+FEFF. */
function isSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  if (unit <= 0x200a) return unit === 0x1680 || unit >= 0x2000;
  return unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000;
}

function trim(ev: Evaluation, text: string): string | undefined {
  if (!scan(ev, text)) return undefined;
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Characters that Go writes as a backslash and a letter in quoted text. */
export const GO_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

function quote(ev: Evaluation, text: string): string | undefined {
  if (!takeApart(ev, text)) return undefined;
  return `"${Array.from(text, (char) => GO_ESCAPES.get(char) ?? char).join("")}"`;
}

export const stringFunctions: readonly Overload[] = [
  binary("member", "contains", STRING, STRING, BOOL, (ev, text, part) =>
    search(ev, text, part) ? text.includes(part) : undefined,
  ),
  binary("member", "startsWith", STRING, STRING, BOOL, (ev, text, part) =>
    compared(ev, part) ? text.startsWith(part) : undefined,
  ),
  binary("member", "endsWith", STRING, STRING, BOOL, (ev, text, part) =>
    compared(ev, part) ? text.endsWith(part) : undefined,
  ),
  binary("member", "charAt", STRING, INT, STRING, charAt),
  binary("member", "indexOf", STRING, STRING, INT, (ev, text, part) => indexOf(ev, text, part)),
  ternary("member", "indexOf", STRING, STRING, INT, INT, indexOf),
  binary("member", "lastIndexOf", STRING, STRING, INT, lastIndexOf),
  ternary("member", "lastIndexOf", STRING, STRING, INT, INT, lastIndexBefore),
  unary("member", "lowerAscii", STRING, STRING, (ev, text) =>
    takeApart(ev, text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : undefined,
  ),
  unary("member", "upperAscii", STRING, STRING, (ev, text) =>
    takeApart(ev, text) ? text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : undefined,
  ),
  ternary("member", "replace", STRING, STRING, STRING, STRING, (ev, text, old, by) => replace(ev, text, old, by)),
  quaternary("member", "replace", STRING, STRING, STRING, INT, STRING, replace),
  binary("member", "split", STRING, STRING, STRINGS, (ev, text, separator) => splitText(ev, text, separator, -1n)),
  ternary("member", "split", STRING, STRING, INT, STRINGS, splitText),
  binary("member", "substring", STRING, INT, STRING, (ev, text, from) => substring(ev, text, from)),
  ternary("member", "substring", STRING, INT, INT, STRING, substring),
  unary("member", "trim", STRING, STRING, trim),
  unary("member", "join", STRINGS, STRING, (ev, elements) => join(ev, elements, "")),
  binary("member", "join", STRINGS, STRING, STRING, join),
  unary("member", "reverse", STRING, STRING, (ev, text) =>
    spend(ev, 1 + (text.length >> 2)) ? [...text].reverse().join("") : undefined,
  ),
  unary("global", "strings.quote", STRING, STRING, quote),
];
