/**
 * The answers of helpers: 0 for no, 1 for yes, 2 or 3 if closures must be asked. Each step to count adds 4.
 *
 * `spent` is the number of steps that the run has counted before. A helper that would exceed {@link MAX_COUNTED}
 * answers 2 before it begins (the invariant "budget of generated code" in `budget.ts`).
 */

import { readIPv4 } from "../../cel/ipv4.js";
import { isData } from "../../cel/values.js";
import { LONG_LIST, LONG_TEXT, MAX_COUNTED } from "../frame/budget.js";
import { listCopy } from "../frame/copies.js";

export const NO = 0;
export const YES = 1;
export const ASK = 2;
/** For a list that must contain only texts: it has been read, and contains something else. */
export const NOT_TEXTS = 3;
/** One step, as a part of an answer. */
const STEP = 4;

type Bit = typeof NO | typeof YES;

const { isArray } = Array;

function bit(is: boolean): Bit {
  return is ? YES : NO;
}

/** `a == b` for two attributes. Answers only for two finite numbers, two booleans or two strings. */
export function same(a: unknown, b: unknown, spent: number): number {
  if (typeof a === "string") {
    if (typeof b !== "string") return ASK;
    if (a.length < LONG_TEXT || a.length !== b.length) return a === b ? YES : NO;
    // The cost of `sameText` of `cel/equality.ts`.
    const cost = a.length >> 9;
    if (spent + cost > MAX_COUNTED) return ASK;
    return (a === b ? YES : NO) + STEP * cost;
  }
  if (typeof a === "number") return typeof b === "number" && a - a === 0 && b - b === 0 ? bit(a === b) : ASK;
  return typeof a === "boolean" && typeof b === "boolean" ? bit(a === b) : ASK;
}

/** Whether a list has a (short) string. Reads no element twice, and none if it answers {@link ASK}. */
export function has(list: unknown, spent: number, text: string): number {
  if (!isArray(list) || text.length >= LONG_TEXT) return ASK;
  const { length } = list;
  if (length < LONG_LIST) {
    for (let i = 0; i < length; i++) if (list[i] === text) return YES;
    return NO;
  }
  // The cost of `hasText` of `cel/functions/operators.ts`.
  const cost = Math.floor(length / 8);
  if (spent + cost > MAX_COUNTED) return ASK;
  let answer: Bit = NO;
  for (let i = 0; i < length && answer === NO; i++) if (list[i] === text) answer = YES;
  return answer + STEP * cost;
}

/** Whether two lists have a (short) text in common. */
export function meet(a: unknown, b: unknown, spent: number): number {
  if (!isArray(a) || !isArray(b)) return ASK;
  return a.length > b.length ? searched(b, a, YES, spent) : searched(a, b, YES, spent);
}

/** Whether all elements of a list, which are (short) texts, are in another list. */
export function within(a: unknown, b: unknown, spent: number): number {
  return isArray(a) && isArray(b) ? searched(a, b, NO, spent) : ASK;
}

/**
 * Searches `list` for each of some texts. Answers `found` for the first text that is there (`YES`) or is missing
 * (`NO`), and the opposite if no text decides.
 */
function searched(texts: readonly unknown[], list: readonly unknown[], found: Bit, spent: number): number {
  // The cost of `spendOnPairs` of `cel/functions/sets.ts`.
  const cost = 1 + Math.floor((texts.length * list.length) / 4);
  if (spent + cost > MAX_COUNTED) return ASK;
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i];
    if (typeof text !== "string" || text.length >= LONG_TEXT) return ASK;
    if (bit(list.includes(text)) === found) return found + STEP * cost;
  }
  return bit(found === NO) + STEP * cost;
}

/** Whether an IPv4 address has the bits of `base` where `mask` has bits. */
export function inRange(text: unknown, base: number, mask: number): number {
  if (typeof text !== "string") return ASK;
  const address = readIPv4(text);
  return address < 0 ? ASK : bit((address & mask) === base);
}

/** Up to this many texts are compared one by one: a set would take longer. */
const FEW = 8;

/** The parts between a prefix and a suffix, in the texts of a list. */
interface Middles {
  readonly few: readonly string[];
  /** All of them, if they are more than a few. */
  readonly many: ReadonlySet<string> | undefined;
}

/** The sought texts that a list has. */
export interface TextIndex {
  /** Whether it has one of the known texts. */
  readonly has: boolean;
  /** For each built text, by its place, the middles with which the list has it. */
  readonly middles: readonly Middles[];
}

/**
 * The index of a list for sought texts: known texts, and texts that are built of a prefix, a middle and a suffix. Null
 * for a value that is not a list of texts alone.
 */
export function indexOf(
  list: unknown,
  known: readonly string[],
  built: readonly (readonly [prefix: string, suffix: string])[],
): TextIndex | null {
  if (!isArray(list)) return null;
  const texts: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") return null;
    texts.push(item);
  }
  return {
    has: known.some((text) => texts.includes(text)),
    middles: built.map(([prefix, suffix]) => {
      const ends = prefix.length + suffix.length;
      const some = texts.filter((text) => text.length >= ends && text.startsWith(prefix) && text.endsWith(suffix));
      const all = new Set(some.map((text) => text.slice(prefix.length, text.length - suffix.length)));
      return all.size > FEW ? { few: [], many: all } : { few: [...all], many: undefined };
    }),
  };
}

/** Whether `text` is one of the middles. */
export function isAmong(text: string, { few, many }: Middles): boolean {
  if (many !== undefined) return many.has(text);
  for (let i = 0; i < few.length; i++) if (few[i] === text) return true;
  return false;
}

/** `text.contains(part)`. */
export function contains(text: unknown, part: unknown, spent: number): number {
  if (typeof text !== "string" || typeof part !== "string") return ASK;
  // The cost of `search` of `cel/functions/strings.ts`.
  const cost = (text.length >> 6) * (1 + (part.length >> 8));
  if (spent + cost > MAX_COUNTED) return ASK;
  return (text.includes(part) ? YES : NO) + STEP * cost;
}

/** Whether `text` is `prefix + middle + suffix`. The caller has compared the lengths. */
export function isBuilt(text: string, prefix: string, middle: string, suffix: string): boolean {
  return text.startsWith(middle, prefix.length) && text.startsWith(prefix) && text.endsWith(suffix);
}

/** The most that closures pay for a (short) text in a list that is an output (`toJson` of `cel/json.ts`). */
export const ITEM_COST = 1 + (LONG_TEXT >> 6);

/**
 * A copy of a list of (short) texts, numbers, booleans and null; undefined for any other value. The caller counts
 * {@link ITEM_COST} for each element.
 */
export function listOf(list: unknown, spent: number): unknown {
  if (!isArray(list) || spent + ITEM_COST * list.length > MAX_COUNTED) return undefined;
  for (let i = 0; i < list.length; i++) {
    const item: unknown = list[i];
    if (!isData(item) || (typeof item === "object" && item !== null)) return undefined;
    if (typeof item === "string" && item.length >= LONG_TEXT) return undefined;
  }
  return listCopy(list);
}
