/** Constants of expressions, as filters have them. */

import type { Expr } from "../../cel/ast.js";
import { type CelValue, Uint } from "../../cel/values.js";
import type { JsonType, Scalar } from "./filter.js";
import { constantOf } from "./residue.js";

/** A constant as a filter has it: a number is the double that values of rows are compared with. */
export function scalarOf(value: CelValue | undefined): Scalar | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  const number = value instanceof Uint ? Number(value.value) : typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function scalarsOf(value: CelValue | undefined): readonly Scalar[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const scalars: Scalar[] = [];
  for (const element of value) {
    const scalar = scalarOf(element);
    if (scalar === undefined) return undefined;
    scalars.push(scalar);
  }
  return scalars;
}

/** Constant texts, joined. */
export function textOf(parts: readonly Expr[]): string | undefined {
  const texts = parts.map(constantOf).filter((value) => typeof value === "string");
  return texts.length === parts.length ? texts.join("") : undefined;
}

/** What has to stand between two texts for a value to come out. */
export function between(value: Scalar, before: string, after: string): readonly string[] {
  if (typeof value !== "string" || value.length < before.length + after.length) return [];
  const isAround = value.startsWith(before) && value.endsWith(after);
  return isAround ? [value.slice(before.length, value.length - after.length)] : [];
}

/** The types of JSON data by the names that expressions have for them. */
export const TYPES: ReadonlyMap<string, JsonType> = new Map<string, JsonType>([
  ["null_type", "null"],
  ["bool", "boolean"],
  ["double", "number"],
  ["string", "string"],
  ["list", "array"],
  ["map", "object"],
]);
