/** Converts constants of expressions to values of filters. */

import { type CelValue, Uint } from "../../cel/values.js";
import type { FilterScalar, JsonType } from "./filter.js";

/** The scalar for a constant. A number becomes the double that values of rows are compared with. */
export function scalarOf(value: CelValue | undefined): FilterScalar | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  const number = value instanceof Uint ? Number(value.value) : typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function scalarsOf(value: CelValue | undefined): readonly FilterScalar[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const scalars: FilterScalar[] = [];
  for (const element of value) {
    const scalar = scalarOf(element);
    if (scalar === undefined) return undefined;
    scalars.push(scalar);
  }
  return scalars;
}

/** The texts that give one of the values when put between `before` and `after`. */
export function between(values: readonly FilterScalar[], before: string, after: string): readonly string[] {
  const found: string[] = [];
  for (const value of values) {
    if (typeof value !== "string" || value.length < before.length + after.length) continue;
    const isAround = value.startsWith(before) && value.endsWith(after);
    if (isAround) found.push(value.slice(before.length, value.length - after.length));
  }
  return found;
}

/** The types of JSON data, by their names in expressions. */
export const TYPES: ReadonlyMap<string, JsonType> = new Map<string, JsonType>([
  ["null_type", "null"],
  ["bool", "boolean"],
  ["double", "number"],
  ["string", "string"],
  ["list", "array"],
  ["map", "object"],
]);
