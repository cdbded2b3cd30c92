/** JSON values, compared by the rules of JSON Schema. */

import { isList, isObject } from "../cel/json.js";
import type { SpendSteps } from "./validation-frame.js";

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (isList(value)) return "array";
  return typeof value;
}

/** Whether a value has a type that a schema names. */
export function isOfType(value: unknown, type: string): boolean {
  return typeOf(value) === type || (type === "integer" && Number.isInteger(value));
}

export function equal(a: unknown, b: unknown): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const names = memberNames(a);
  return (
    names.length === memberNames(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]))
  );
}

/** The names of an object's members; a member that is `undefined` counts as absent. */
export function memberNames(map: object): readonly string[] {
  return Object.entries(map).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** The steps of keeping an item of a list, to find it again. */
const KEEPING = 4;

/** The indexes of the first two equal items; undefined if all items differ. */
export function firstDuplicate(list: readonly unknown[], spend: SpendSteps): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    spend(KEEPING);
    const key = canonical(item, spend);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, i];
    seen.set(key, i);
  }
  return undefined;
}

/** A text that is the same for equal values. */
function canonical(value: unknown, spend: SpendSteps): string {
  spend(typeof value === "string" ? 1 + (value.length >> 5) : 1);
  if (isList(value)) return `[${value.map((item) => canonical(item, spend)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "";
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key], spend)}`).join()}}`;
}

/** Whether `value` is a whole multiple of `unit` in decimals: 0.3 is a multiple of 0.1. */
export function isMultiple(value: number, unit: number): boolean {
  const [a, b] = [decimal(value), decimal(unit)];
  if (b.digits === 0n) return false;
  const exponent = Math.min(a.exponent, b.exponent);
  return (a.digits * 10n ** BigInt(a.exponent - exponent)) % (b.digits * 10n ** BigInt(b.exponent - exponent)) === 0n;
}

function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
