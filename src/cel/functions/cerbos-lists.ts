/**
 * Cerbos's functions of two lists (`internal/conditions/cerbos_lib.go` of v0.51).
 *
 * Observed: when the list that is searched has more than three elements and all are strings, numbers, timestamps or
 * durations, the PDP 0.51 puts them into a Go map, whose keys are equal only within one type: a double 1 is not an int
 * 1. Otherwise elements are compared by `==`. Later versions always compare by `==`.
 */

import { equals } from "../equality.js";
import { type Evaluation, isExhausted, spend } from "../evaluation.js";
import { BOOL, list, param, type Type } from "../types.js";
import { type CelList, type CelValue, Duration, Timestamp, Uint } from "../values.js";
import { binary, type Overload } from "./overload.js";
import { among, spendOnPairs } from "./sets.js";

/** Whether a value is among the elements of a list; `undefined` once the budget is spent. */
type Lookup = (value: CelValue) => boolean | undefined;

/** Up to this size a list is searched as it is. */
const SMALL = 3;
/** Up to this many comparisons a set does not pay. */
const FEW = 512;

/** Looks for many values in `elements`. `queries` is how many, to charge for them all at once. */
function lookupIn(ev: Evaluation, elements: CelList, queries: number): Lookup | undefined {
  if (elements.length > SMALL && elements.every(isHashable)) return hashed(ev, elements, queries);
  if (!spend(ev, 1 + Math.floor((elements.length * queries) / 4))) return undefined;
  return (value) => {
    for (const element of elements) {
      const same = equals(ev, value, element);
      if (same === true) return true;
      if (isExhausted(ev)) return undefined;
    }
    return false;
  };
}

function isHashable(value: CelValue): boolean {
  return (
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    value instanceof Uint ||
    value instanceof Timestamp ||
    value instanceof Duration
  );
}

function hashed(ev: Evaluation, elements: CelList, queries: number): Lookup | undefined {
  if (elements.length * queries <= FEW) {
    if (!spend(ev, 1 + Math.floor((elements.length * queries) / 8))) return undefined;
    return (value) => {
      const key = keyOf(value);
      for (const element of elements) if (keyOf(element) === key) return true;
      return false;
    };
  }
  if (!spend(ev, 1 + ((elements.length + queries) >> 1))) return undefined;
  const keys = new Set(elements.map(keyOf));
  // A set finds NaN, a Go map does not.
  return (value) => !Number.isNaN(value) && keys.has(keyOf(value));
}

/** A key that is identical for values which are equal as keys of a Go map. */
function keyOf(value: CelValue): unknown {
  if (typeof value === "string") return value.charCodeAt(0) === MARK ? String.fromCharCode(MARK) + value : value;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint) return symbolOf("uint", value.value);
  if (value instanceof Duration) return symbolOf("duration", value.nanos);
  // Go compares the time zone by identity, so away from UTC only the same timestamp is equal.
  if (value instanceof Timestamp && value.offset === 0) return symbolOf(`t${value.seconds}`, value.nanos);
  return value;
}

/** Begins the keys of values that are not texts; a text that begins with it is given another. */
const MARK = 0xdc00;

function symbolOf(kind: string, value: bigint | number): string {
  return `${String.fromCharCode(MARK)}${kind}:${value}`;
}

type LookupIn = typeof lookupIn;

/** Looks for values by `==`, whatever the list is. */
function comparedIn(ev: Evaluation, elements: CelList, queries: number): Lookup | undefined {
  return spendOnPairs(ev, elements.length, queries) ? (value) => among(ev, elements, value) : undefined;
}

function contains(ev: Evaluation, among: CelList, values: CelList, look: LookupIn): CelList | undefined {
  const isMember = look(ev, among, values.length);
  if (isMember === undefined) return undefined;
  const found: CelValue[] = [];
  for (const value of values) {
    const is = isMember(value);
    if (is === undefined) return undefined;
    if (is) found.push(value);
  }
  return found;
}

/** The values of the shorter list that are in the longer, in its order, repetitions kept. */
const intersect =
  (look: LookupIn) =>
  (ev: Evaluation, a: CelList, b: CelList): CelList | undefined =>
    a.length > b.length ? contains(ev, a, b, look) : contains(ev, b, a, look);

const except =
  (look: LookupIn) =>
  (ev: Evaluation, a: CelList, b: CelList): CelList | undefined => {
    const isMember = look(ev, b, a.length);
    if (isMember === undefined) return undefined;
    const left: CelValue[] = [];
    for (const value of a) {
      const is = isMember(value);
      if (is === undefined) return undefined;
      if (!is) left.push(value);
    }
    return left;
  };

const hasIntersection =
  (look: LookupIn) =>
  (ev: Evaluation, a: CelList, b: CelList): boolean | undefined => {
    const [shorter, longer] = a.length > b.length ? [b, a] : [a, b];
    const isMember = look(ev, longer, shorter.length);
    if (isMember === undefined) return undefined;
    for (const value of shorter) {
      const is = isMember(value);
      if (is !== false) return is;
    }
    return false;
  };

const isSubset =
  (look: LookupIn) =>
  (ev: Evaluation, a: CelList, b: CelList): boolean | undefined => {
    const isMember = look(ev, b, a.length);
    if (isMember === undefined) return undefined;
    for (const value of a) {
      const is = isMember(value);
      if (is !== true) return is;
    }
    return true;
  };

const LIST = list(param("A"));

function bothStyles<R extends CelValue>(
  name: string,
  result: Type<R>,
  f: (ev: Evaluation, a: CelList, b: CelList) => R | undefined,
): Overload[] {
  return [binary("global", name, LIST, LIST, result, f), binary("member", name, LIST, LIST, result, f)];
}

function overloadsBy(look: LookupIn): readonly Overload[] {
  return [
    ...bothStyles("hasIntersection", BOOL, hasIntersection(look)),
    ...bothStyles("has_intersection", BOOL, hasIntersection(look)),
    ...bothStyles("intersect", LIST, intersect(look)),
    ...bothStyles("except", LIST, except(look)),
    ...bothStyles("isSubset", BOOL, isSubset(look)),
    ...bothStyles("is_subset", BOOL, isSubset(look)),
  ];
}

export const cerbosListFunctions: readonly Overload[] = overloadsBy(lookupIn);

/** The same as later versions have them. */
export const comparingListFunctions: readonly Overload[] = overloadsBy(comparedIn);
