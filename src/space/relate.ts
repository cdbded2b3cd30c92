/** Derives values worth trying from a comparison of two terms. */

import { isList, type JsonValue } from "../cel/json.js";
import { type ComparedTerm, constantsIn, dimensionsIn } from "./compared-terms.js";
import { type Dimension, sortOf } from "./dimension.js";

/** `a == b`, `a < b` and the like. False: some distinctions are not known. */
export function relate(a: ComparedTerm, b: ComparedTerm): boolean {
  if (a.kind === "either") return every(a.of, (one) => relate(one, b));
  if (b.kind === "either") return every(b.of, (one) => relate(a, one));
  return oneWay(a, b) || oneWay(b, a) || relateWidely([a, b]);
}

/** `a in b`. */
export function relateMember(a: ComparedTerm, b: ComparedTerm): boolean {
  if (b.kind === "either") return every(b.of, (one) => relateMember(a, one));
  if (b.kind === "list") return every(b.items, (item) => relate(a, item));
  if (b.kind === "constant" && isList(b.value)) {
    return every(b.value, (value) => relate(a, { kind: "constant", value }));
  }
  if (b.kind === "value" && !b.element) return element(b.dimension, a);
  return relateWidely([a, b]);
}

/** Operations on two lists that may have common elements. */
export function relateLists(a: ComparedTerm, b: ComparedTerm): boolean {
  if (a.kind === "either") return every(a.of, (one) => relateLists(one, b));
  if (b.kind === "either") return every(b.of, (one) => relateLists(a, one));
  if (a.kind === "value" && b.kind === "value") {
    for (const term of [a, b]) term.dimension.sorts.add("list");
    link([a.dimension, b.dimension]);
    return true;
  }
  if (a.kind === "value")
    return (
      itemsOf(b)
        ?.map((item) => element(a.dimension, item))
        .every(Boolean) ?? relateWidely([a, b])
    );
  if (b.kind === "value") return relateLists(b, a);
  return relateWidely([a, b]);
}

function itemsOf(term: ComparedTerm): readonly ComparedTerm[] | undefined {
  if (term.kind === "list") return term.items;
  if (term.kind === "constant" && isList(term.value)) return term.value.map((value) => ({ kind: "constant", value }));
  return undefined;
}

/** A search for `item` in a list. */
function element(list: Dimension, item: ComparedTerm): boolean {
  list.sorts.add("list");
  if (item.kind === "either") return every(item.of, (one) => element(list, one));
  if (item.kind === "constant") {
    addConstant(list.elements, item.value);
    return true;
  }
  if (item.kind === "made") {
    list.dynamicElements.push(item.dynamic);
    for (const part of dimensionsIn(item)) part.sorts.add(item.sort);
    return true;
  }
  if (item.kind === "value" && !item.element) {
    link([list, item.dimension]);
    return true;
  }
  return relateWidely([{ kind: "value", dimension: list, element: false }, item]);
}

function oneWay(a: ComparedTerm, b: ComparedTerm): boolean {
  if (a.kind === "value") return a.element ? elementTo(a.dimension, b) : valueTo(a.dimension, b);
  if (a.kind === "size" && b.kind === "constant" && typeof b.value === "number") {
    for (const size of [b.value - 1, b.value, b.value + 1]) if (size >= 0) a.dimension.sizes.add(size);
    return true;
  }
  if (a.kind === "made" && a.sort === "number") return sums([a, b]);
  if (a.kind === "time") return moments(a.of, b);
  if (a.kind === "age" && b.kind === "seconds") {
    for (const dimension of dimensionsIn(a.of)) age(dimension, -b.value);
    return true;
  }
  if (a.kind === "list" && b.kind === "list") return relateWidely([a, b]);
  return a.kind === "constant" && b.kind === "constant";
}

function valueTo(dimension: Dimension, other: ComparedTerm): boolean {
  switch (other.kind) {
    case "constant":
      addConstant(dimension.constants, other.value);
      dimension.sorts.add(sortOf(other.value) ?? "string");
      if (isList(other.value)) for (const item of other.value) addConstant(dimension.elements, item);
      return true;
    case "value":
      link([dimension, other.dimension]);
      return true;
    case "made":
      if (other.sort === "number") return sums([{ kind: "value", dimension, element: false }, other]);
      dimension.sorts.add("string");
      dimension.dynamics.push(other.dynamic);
      for (const part of dimensionsIn(other)) part.sorts.add("string");
      link([dimension, ...dimensionsIn(other)]);
      return true;
    case "list":
      dimension.sorts.add("list");
      return every(other.items, (item) => element(dimension, item));
    default:
      return false;
  }
}

function elementTo(dimension: Dimension, other: ComparedTerm): boolean {
  return other.kind === "value" && other.element ? false : element(dimension, other);
}

/** A comparison of sums: it depends on the relation of each number to the other numbers and to the constants. */
function sums(terms: readonly ComparedTerm[]): boolean {
  const dimensions = terms.flatMap(dimensionsIn);
  const numbers = terms.flatMap(constantsIn).filter((value) => typeof value === "number");
  for (const dimension of dimensions) {
    dimension.sorts.add("number");
    dimension.summed = true;
    for (const value of numbers) addConstant(dimension.constants, value);
  }
  link(dimensions);
  return terms.every((term) => term.kind !== "unknown");
}

function moments(of: ComparedTerm, other: ComparedTerm): boolean {
  const dimensions = dimensionsIn(of);
  for (const dimension of dimensions) dimension.sorts.add("time");
  if (other.kind === "now") {
    for (const dimension of dimensions) age(dimension, other.offset);
    return true;
  }
  if (other.kind !== "time") return false;
  for (const value of constantsIn(other.of)) {
    for (const dimension of dimensions) addConstant(dimension.constants, value);
  }
  for (const dimension of dimensionsIn(other.of)) dimension.sorts.add("time");
  link([...dimensions, ...dimensionsIn(other.of)]);
  return true;
}

function age(dimension: Dimension, seconds: number): void {
  dimension.sorts.add("time");
  for (const each of [seconds - 1, seconds, seconds + 1]) dimension.ages.add(each);
}

/** The fallback: every constant is worth trying for every value in the comparison. */
export function relateWidely(terms: readonly ComparedTerm[]): false {
  const dimensions = terms.flatMap(dimensionsIn);
  for (const value of terms.flatMap(constantsIn)) {
    for (const dimension of dimensions) {
      addConstant(dimension.constants, value);
      addConstant(dimension.elements, value);
    }
  }
  link(dimensions);
  return false;
}

function link(dimensions: readonly Dimension[]): void {
  for (const one of dimensions) for (const other of dimensions) if (one !== other) one.linked.add(other.id);
}

export function addConstant(constants: Map<string, JsonValue>, value: JsonValue): void {
  constants.set(JSON.stringify(value), value);
}

/** Whether `known` holds of all items. It is called for each of them, without short-circuiting. */
function every<T>(items: readonly T[], known: (item: T) => boolean): boolean {
  return items.map(known).every(Boolean);
}
