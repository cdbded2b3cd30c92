/** Cerbos's functions of two lists (`internal/conditions/cerbos_lib.go`). Elements are compared by `==`. */

import type { Evaluation } from "../evaluation.js";
import { BOOL, type CelType, list, param } from "../types.js";
import type { CelList, CelValue } from "../values.js";
import { binary, type Overload } from "./overload.js";
import { contains, containsEqual, intersects, spendOnPairs } from "./sets.js";

/**
 * The `values` that have an equal in `elements` (`wanted`), or that have none (not `wanted`); undefined once the budget
 * is exhausted.
 */
function select(ev: Evaluation, elements: CelList, values: CelList, wanted: boolean): CelList | undefined {
  if (!spendOnPairs(ev, elements.length, values.length)) return undefined;
  const found: CelValue[] = [];
  for (const value of values) {
    const is = containsEqual(ev, elements, value);
    if (is === undefined) return undefined;
    if (is === wanted) found.push(value);
  }
  return found;
}

/** The values of the shorter list that are in the longer one, in the order of the shorter; repetitions are kept. */
function intersect(ev: Evaluation, a: CelList, b: CelList): CelList | undefined {
  return a.length > b.length ? select(ev, a, b, true) : select(ev, b, a, true);
}

function except(ev: Evaluation, a: CelList, b: CelList): CelList | undefined {
  return select(ev, b, a, false);
}

function hasIntersection(ev: Evaluation, a: CelList, b: CelList): boolean | undefined {
  const [shorter, longer] = a.length > b.length ? [b, a] : [a, b];
  return intersects(ev, shorter, longer);
}

function isSubset(ev: Evaluation, a: CelList, b: CelList): boolean | undefined {
  return contains(ev, b, a);
}

const LIST = list(param("A"));

function bothStyles<R extends CelValue>(
  name: string,
  result: CelType<R>,
  f: (ev: Evaluation, a: CelList, b: CelList) => R | undefined,
): Overload[] {
  return [binary("global", name, LIST, LIST, result, f), binary("member", name, LIST, LIST, result, f)];
}

export const cerbosListFunctions: readonly Overload[] = [
  ...bothStyles("hasIntersection", BOOL, hasIntersection),
  ...bothStyles("has_intersection", BOOL, hasIntersection),
  ...bothStyles("intersect", LIST, intersect),
  ...bothStyles("except", LIST, except),
  ...bothStyles("isSubset", BOOL, isSubset),
  ...bothStyles("is_subset", BOOL, isSubset),
];
