/** Lists as sets (cel-go `ext/sets.go`): elements are compared by `==`, their number and order do not matter. */

import { equals, TEXT_STEP } from "../equality.js";
import { type Evaluation, isExhausted, spend } from "../evaluation.js";
import { BOOL, list, param } from "../types.js";
import type { CelList, CelValue } from "../values.js";
import { atLevel, binary, type Overload } from "./overload.js";

/** Whether `elements` has a value equal to `value`; `undefined` once the budget is exhausted. */
export function containsEqual(ev: Evaluation, elements: CelList, value: CelValue): boolean | undefined {
  // A text equals texts only. Comparing a short one is covered by the price that callers pay for each element.
  if (typeof value === "string" && value.length < TEXT_STEP) return elements.includes(value);
  for (const element of elements) {
    // An element that cannot be compared is not equal; only an exhausted budget ends the search.
    if (equals(ev, value, element) === true) return true;
    if (isExhausted(ev)) return undefined;
  }
  return false;
}

/** Pays for comparing every element of one list with every element of another. */
export function spendOnPairs(ev: Evaluation, a: number, b: number): boolean {
  return spend(ev, 1 + Math.floor((a * b) / 4));
}

export function contains(ev: Evaluation, elements: CelList, values: CelList): boolean | undefined {
  if (!spendOnPairs(ev, elements.length, values.length)) return undefined;
  for (const value of values) {
    const is = containsEqual(ev, elements, value);
    if (is !== true) return is;
  }
  return true;
}

function equivalent(ev: Evaluation, a: CelList, b: CelList): boolean | undefined {
  const is = contains(ev, a, b);
  return is === true ? contains(ev, b, a) : is;
}

export function intersects(ev: Evaluation, a: CelList, b: CelList): boolean | undefined {
  if (!spendOnPairs(ev, a.length, b.length)) return undefined;
  for (const value of a) {
    const is = containsEqual(ev, b, value);
    if (is !== false) return is;
  }
  return false;
}

const LIST = list(param("T"));

function within(ev: Evaluation, a: CelList, b: CelList): boolean | undefined {
  return contains(ev, b, a);
}

/** Functions of cel-go after v0.30. Read in its changelog, not run: no server of this level can be asked yet. */
const ofLists = [
  binary("member", "hasAll", LIST, LIST, BOOL, contains),
  binary("member", "hasAny", LIST, LIST, BOOL, intersects),
  binary("member", "hasExactly", LIST, LIST, BOOL, equivalent),
  binary("member", "hasOnly", LIST, LIST, BOOL, within),
].map((overload) => atLevel("0.58", overload));

export const setFunctions: readonly Overload[] = [
  binary("global", "sets.contains", LIST, LIST, BOOL, contains),
  binary("global", "sets.equivalent", LIST, LIST, BOOL, equivalent),
  binary("global", "sets.intersects", LIST, LIST, BOOL, intersects),
  ...ofLists,
];
