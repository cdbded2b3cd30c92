/**
 * Values of one term of a row: a value for which some tests hold and others do not.
 *
 * The search tries candidates: the values that the tests compare with, and values beside them. For most tests the
 * candidates stand for all values, so that no candidate means no value.
 */

import type { FilterTest, JsonType } from "./filter.js";
import { holdsOf, type ValueTest } from "./matches.js";

/** A test of a term, and whether it has to hold. */
export interface TermTest {
  readonly test: ValueTest;
  readonly holds: boolean;
}

/** `none`: no value meets the tests. `unsure`: none was found. */
export type FoundValue = { readonly value: unknown } | "none" | "unsure";

/** A value that meets all tests. `undefined` is an absent value. `more`: further candidates, tried first. */
export function valueFor(tests: readonly TermTest[], more: readonly unknown[] = []): FoundValue {
  if (contradicts(tests)) return "none";
  const fits = (value: unknown) => tests.every(({ test, holds }) => holdsOf(test, value) === holds);
  const finite = smallestList(tests);
  const candidates = finite ?? [...more, ...candidatesFor(tests)];
  for (const value of candidates) if (fits(value)) return { value };
  return finite !== undefined || tests.every(isComplete) ? "none" : "unsure";
}

/** True if some value, or an absent one, may meet all tests. */
export function mayHaveValue(tests: readonly TermTest[]): boolean {
  return (smallestList(tests) === undefined ? hasSortLeft(tests) : undefined) ?? valueFor(tests) !== "none";
}

/** The sorts of values that tests of types distinguish, as a bit set. */
const SORTS = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
  other: 128,
  absent: 256,
};
const TYPES: { readonly [type in JsonType]: number } = { ...SORTS, number: SORTS.integer | SORTS.fraction };
const EVERY_SORT = 511;

/** {@link mayHaveValue} for tests of presence and types, and for values to exclude; undefined if there are others. */
function hasSortLeft(tests: readonly TermTest[]): boolean | undefined {
  let sorts = EVERY_SORT;
  for (const { test, holds } of tests) {
    let some = EVERY_SORT;
    if (test.op === "type") some = test.types.reduce((all, type) => all | TYPES[type], 0);
    else if (test.op === "present") some = EVERY_SORT & ~(SORTS.absent | (test.isJson === true ? SORTS.other : 0));
    else if (test.op !== "in" || holds) return undefined;
    sorts &= test.op === "in" || holds ? some : ~some;
  }
  // Tests cannot exclude one by one all values of another sort.
  if ((sorts & ~(SORTS.null | SORTS.boolean)) !== 0) return true;
  return sorts === 0 ? false : undefined;
}

/** The values of the shortest `in` that has to hold: there are no others. */
function smallestList(tests: readonly TermTest[]): readonly unknown[] | undefined {
  let smallest: readonly unknown[] | undefined;
  for (const { test, holds } of tests) {
    if (!holds || test.op !== "in") continue;
    if (smallest === undefined || test.values.length < smallest.length) smallest = test.values;
  }
  return smallest;
}

/** Whether the candidates stand for all values that a test distinguishes. */
function isComplete({ test }: TermTest): boolean {
  return ["present", "type", "in", "order", "includes"].includes(test.op);
}

/** Pairs of tests that no value meets: a text that starts with `ab` starts with `a`. */
function contradicts(tests: readonly TermTest[]): boolean {
  if (!tests.some(({ test }) => test.op === "text")) return false;
  const texts = tests.flatMap(({ test, holds }) => (test.op === "text" ? [{ ...test, holds }] : []));
  return texts.some(
    (one) => one.holds && texts.some((other) => !other.holds && impliesText(one, other) && other !== one),
  );
}

type TextTest = Extract<FilterTest, { readonly op: "text" }>;

function impliesText(one: TextTest, other: TextTest): boolean {
  if (other.how === "contains") return one.value.includes(other.value);
  if (one.how !== other.how) return other.value === "";
  return other.how === "startsWith" ? one.value.startsWith(other.value) : one.value.endsWith(other.value);
}

/** Longest text or list that is made for a test of sizes. */
const MAX_SIZE = 1_000;

const OTHER_TEXT = "other";

function* candidatesFor(tests: readonly TermTest[]): Iterable<unknown> {
  // Most searches end with the first.
  yield freshText(textsIn(tests));
  const { texts, numbers, parts, included, sizes } = constantsOf(tests);
  yield* texts;
  yield* textsOfParts(parts);
  if (parts.length > 0) yield* [...texts].flatMap((text) => parts.map(({ value }) => text + value));
  yield* numbersAround(numbers);
  yield* [true, false, null];
  yield included;
  yield [...included, freshText(texts)];
  yield [];
  yield Object.fromEntries(included.flatMap((value) => (typeof value === "string" ? [[value, true]] : [])));
  yield {};
  if (tests.some(({ test }) => test.op === "order")) yield* textsAround(texts);
  for (const size of sizes) yield* valuesOfSize(size, included);
  // Present, but not JSON.
  yield Number.NaN;
  yield undefined;
}

function textsIn(tests: readonly TermTest[]): ReadonlySet<unknown> {
  return new Set(tests.flatMap(({ test }) => (test.op === "in" ? test.values : "value" in test ? [test.value] : [])));
}

interface TestConstants {
  readonly texts: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
  readonly parts: readonly TextTest[];
  /** The elements that a list must include. */
  readonly included: readonly unknown[];
  readonly sizes: ReadonlySet<number>;
}

function constantsOf(tests: readonly TermTest[]): TestConstants {
  const [texts, numbers, sizes] = [new Set<string>(), new Set<number>(), new Set<number>()];
  const parts: TextTest[] = [];
  const included: unknown[] = [];
  const add = (value: unknown) => {
    if (typeof value === "string") texts.add(value);
    if (typeof value === "number") numbers.add(value);
  };
  for (const { test, holds } of tests) {
    if (test.op === "in") for (const value of test.values) add(value);
    if (test.op === "order") add(test.value);
    if (test.op === "text") {
      add(test.value);
      if (holds) parts.push(test);
    }
    if (test.op === "includes") {
      add(test.value);
      if (holds) included.push(test.value);
    }
    if (test.op === "size") for (const size of [test.value - 1, test.value, test.value + 1]) sizes.add(size);
  }
  return { texts, numbers, parts, included, sizes };
}

/** A text that is not in the list. */
export function freshText(texts: ReadonlySet<unknown>): string {
  let text = OTHER_TEXT;
  for (let i = 1; texts.has(text); i++) text = `${OTHER_TEXT}_${i}`;
  return text;
}

/** Texts with all required beginnings, parts and ends. */
function textsOfParts(parts: readonly TextTest[]): readonly string[] {
  if (parts.length === 0) return [];
  const longest = (how: TextTest["how"]) =>
    parts
      .filter((part) => part.how === how)
      .reduce((long, { value }) => (value.length > long.length ? value : long), "");
  const middle = parts.flatMap(({ how, value }) => (how === "contains" ? [value] : []));
  const [start, end] = [longest("startsWith"), longest("endsWith")];
  return [start + middle.join("") + end, start + middle.join(OTHER_TEXT) + OTHER_TEXT + end, start, end, ...middle];
}

/** For each region between the constants: a whole number and another one, if the region has them. */
function numbersAround(constants: ReadonlySet<number>): readonly number[] {
  const sorted = [...constants].filter(Number.isFinite).sort((a, b) => a - b);
  const between = sorted.slice(1).flatMap((next, at) => {
    const before = sorted[at] ?? next;
    const part = (next - before) / Math.PI;
    return [
      before + part,
      before + (next - before) / 2,
      Math.floor(before) + 1,
      before + 0.5,
      Math.ceil(next) - 1,
      next - 0.5,
    ];
  });
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
  const below = [Math.floor(first) - 1, first - 0.5, first - Math.abs(first) - 1];
  const above = [Math.floor(last) + 1, last + 0.5, last + Math.abs(last) + 1];
  return [...sorted, ...above, ...between, ...below, 0, 0.5, -0.5];
}

/** For each region between the constants in the order of code points: its first text. */
function textsAround(constants: ReadonlySet<string>): readonly string[] {
  return ["", "\u0000", ...[...constants].map((text) => `${text}\u0000`)];
}

function valuesOfSize(size: number, included: readonly unknown[]): readonly unknown[] {
  if (!Number.isSafeInteger(size) || size < 0 || size > MAX_SIZE) return [];
  const fill = Array.from({ length: Math.max(0, size - included.length) }, (_, at) => `item_${at}`);
  const items = [...included, ...fill];
  return [
    "x".repeat(size),
    items,
    Object.fromEntries(items.flatMap((name) => (typeof name === "string" ? [[name, true]] : []))),
  ];
}
