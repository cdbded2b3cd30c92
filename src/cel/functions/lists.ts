/** Functions of lists (cel-go `ext/lists.go` of v0.30), and the function that the `sortBy` macro calls. */

import { compare, equals, typeOf } from "../equality.js";
import { type Evaluation, fail, isExhausted, spend } from "../evaluation.js";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  list,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from "../types.js";
import { type CelList, type CelValue, isList } from "../values.js";
import { binary, type Overload, ternary, unary } from "./overload.js";

const LIST = list(param("T"));
const COMPARABLE: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const COMPARABLE_NAMES = new Set(COMPARABLE.map((type) => type.name));
/** Lists nested deeper than this are not flattened further. */
const MAX_FLATTEN = 256;

function slice(ev: Evaluation, elements: CelList, start: bigint, end: bigint): CelList | undefined {
  if (start < 0n || end < 0n) return fail(ev, `cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) {
    return fail(ev, `cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  }
  if (elements.length < end) return fail(ev, `cannot slice(${start}, ${end}), list is length ${elements.length}`);
  return spend(ev, 1 + (Number(end - start) >> 4)) ? elements.slice(Number(start), Number(end)) : undefined;
}

function flatten(ev: Evaluation, elements: CelList, depth: bigint): CelList | undefined {
  if (depth < 0n) return fail(ev, "level must be non-negative");
  const flat: CelValue[] = [];
  return flattenInto(ev, elements, depth > MAX_FLATTEN ? MAX_FLATTEN : Number(depth), flat) ? flat : undefined;
}

function flattenInto(ev: Evaluation, elements: CelList, depth: number, flat: CelValue[]): boolean {
  if (!spend(ev, 1 + (elements.length >> 3))) return false;
  for (const element of elements) {
    if (depth === 0 || !isList(element)) flat.push(element);
    else if (!flattenInto(ev, element, depth - 1, flat)) return false;
  }
  return true;
}

/**
 * Sorts elements by their keys, which must share one type with an order. Elements with equal keys keep their order;
 * Go's sort does not guarantee that for more than twelve elements.
 */
function sortByKeys(ev: Evaluation, elements: CelList, keys: CelList): CelList | undefined {
  const size = elements.length;
  if (keys.length !== size) return fail(ev, "sortBy expected as many keys as elements");
  const first = keys[0];
  if (first === undefined) return elements;
  const type = typeOf(first);
  if (!COMPARABLE_NAMES.has(type)) return fail(ev, "list elements must be comparable");
  if (!spend(ev, 1 + size * Math.ceil(Math.log2(size + 1)) * keyCost(keys))) return undefined;
  if (keys.some((key) => typeOf(key) !== type)) return fail(ev, "list elements must have the same type");
  const pairs = elements.map((element, i) => ({ element, key: keys[i] ?? first }));
  pairs.sort((a, b) => compare(a.key, b.key) ?? 0);
  return pairs.map((pair) => pair.element);
}

/** The most that comparing two keys can cost: texts are compared character by character. */
function keyCost(keys: CelList): number {
  let longest = 0;
  for (const key of keys) {
    if (typeof key === "string" || key instanceof Uint8Array) longest = Math.max(longest, key.length);
  }
  return 1 + (longest >> 6);
}

function distinct(ev: Evaluation, elements: CelList): CelList | undefined {
  const isAllStrings = elements.every((element) => typeof element === "string");
  const { length } = elements;
  if (!spend(ev, 1 + (isAllStrings ? length : Math.floor((length * length) / 4)))) return undefined;
  if (isAllStrings) return [...new Set(elements)];
  const unique: CelValue[] = [];
  for (const element of elements) {
    const isKnown = unique.some((known) => equals(ev, element, known) === true);
    if (isExhausted(ev)) return undefined;
    if (!isKnown) unique.push(element);
  }
  return unique;
}

function range(ev: Evaluation, size: bigint): CelList | undefined {
  if (size < 0n) return fail(ev, `lists.range: size must be non-negative, got ${size}`);
  const length = Number(size);
  return spend(ev, 1 + length / 2) ? Array.from({ length }, (_, i) => BigInt(i)) : undefined;
}

function reverse(ev: Evaluation, elements: CelList): CelList | undefined {
  return spend(ev, 1 + (elements.length >> 4)) ? [...elements].reverse() : undefined;
}

/** `list.sort()` and the function behind `list.sortBy(x, key)`: `list.@sortByAssociatedKeys(list.map(x, key))`. */
const sorting: readonly Overload[] = COMPARABLE.flatMap((type): Overload[] => [
  unary("member", "sort", list(type), list(type), (ev, elements) => sortByKeys(ev, elements, elements)),
  binary("member", "@sortByAssociatedKeys", LIST, list(type), LIST, sortByKeys),
]);

export const listFunctions: readonly Overload[] = [
  ternary("member", "slice", LIST, INT, INT, LIST, slice),
  unary("member", "flatten", list(LIST), LIST, (ev, elements) => flatten(ev, elements, 1n)),
  binary("member", "flatten", list(DYN), INT, list(DYN), flatten),
  ...sorting,
  unary("member", "distinct", LIST, LIST, distinct),
  unary("global", "lists.range", INT, list(INT), range),
  unary("member", "reverse", LIST, LIST, reverse),
];
