/** Converts values of expressions to JSON, and finds numbers around a bound. */

import type { EvaluationResult } from "../../cel/evaluation.js";
import type { OrderingOperator } from "../../cel/operators.js";
import { formatTimestamp } from "../../cel/time.js";
import { Entries, isList, isMap, Timestamp, Uint } from "../../cel/values.js";
import type { PlainValue } from "./plain-request.js";

/** The JSON of a value; undefined if attributes cannot hold it. */
export function jsonOf(value: EvaluationResult): PlainValue | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (isList(value)) {
    const items = value.map(jsonOf).filter((item) => item !== undefined);
    return items.length === value.length ? items : undefined;
  }
  if (!isMap(value)) return undefined;
  const entries = value instanceof Entries ? [...value] : Object.entries(value);
  const pairs = entries.flatMap(([name, inner]): [string, PlainValue][] => {
    const json = jsonOf(inner);
    return typeof name === "string" && json !== undefined ? [[name, json]] : [];
  });
  return Object.fromEntries(pairs);
}

export function numberOf(value: EvaluationResult): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint ? Number(value.value) : undefined;
}

/**
 * Values for one side of `a < b` that make the comparison `wanted`, starting at the bound. `swapped`: the value is for
 * `b`, and `bound` is `a`.
 */
export function targetsOfComparison(
  { symbol }: OrderingOperator,
  bound: number,
  wanted: boolean,
  swapped: boolean,
): number[] {
  const strict = symbol === "<" || symbol === ">";
  const less = (symbol === "<" || symbol === "<=") === wanted;
  const atBound = strict !== wanted;
  const below = less !== swapped;
  const next = below ? bound - 1 : bound + 1;
  return atBound ? [bound, next] : [next, below ? bound - 2 : bound + 2];
}
