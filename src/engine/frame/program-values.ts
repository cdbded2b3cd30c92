/** Copies of values that a program gives with a policy set: globals. They are read as `decide` reads attributes. */

import { isPlainObject, isScalar } from "../../cel/data.js";
import { put } from "./copies.js";

/** JSON, and integers of 64 bits. */
export type ProgramValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly ProgramValue[]
  | { readonly [name: string]: ProgramValue };

const MAX_DEPTH = 100;

/**
 * A copy of a map of values. A member that is `undefined` is absent, as in JSON. Throws a `TypeError` that names the
 * first value that is not JSON: `undefined` in a list, `NaN`, a `Date`, an instance of a class, a map that contains
 * itself. `bigint` is allowed where integers are exact.
 */
export function copyOfValues(
  values: object,
  path: string,
  integers: "exact" | "doubles",
): { readonly [name: string]: ProgramValue } {
  return mapCopy(values, path, integers, 0);
}

type Integers = "exact" | "doubles";

function mapCopy(map: object, path: string, integers: Integers, depth: number) {
  const copy: { [name: string]: ProgramValue } = {};
  for (const name of Object.getOwnPropertyNames(map)) {
    const value: unknown = Reflect.get(map, name);
    if (value !== undefined) put(copy, name, valueCopy(value, `${path}.${name}`, integers, depth + 1));
  }
  return copy;
}

function valueCopy(value: unknown, path: string, integers: Integers, depth: number): ProgramValue {
  if (isScalar(value)) return value;
  if (typeof value === "bigint" && integers === "exact") return value;
  if (depth > MAX_DEPTH) throw new TypeError(`${path} is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, i) => valueCopy(item, `${path}[${i}]`, integers, depth + 1));
  }
  if (typeof value === "object" && value !== null && isPlainObject(value)) {
    return mapCopy(value, path, integers, depth);
  }
  throw new TypeError(`${path} must be JSON`);
}
