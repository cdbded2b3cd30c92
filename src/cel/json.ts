/** CEL values as JSON, as the Cerbos server writes them in outputs of rules (docs/cerbos-semantics.md §2.12). */

import { bareTypeOf, typeOf } from "./equality.js";
import { type Evaluation, fail, spend } from "./evaluation.js";
import { encodeBase64 } from "./functions/encoders.js";
import { MessageValue } from "./message-value.js";
import { formatDuration, formatTimestamp } from "./time.js";
import {
  type CelMap,
  type CelValue,
  Duration,
  Entries,
  isMap,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "./values.js";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export type JsonObject = { readonly [key: string]: JsonValue };

/** A type guard for data that is JSON or undefined. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** True if a value has only finite numbers. NaN and the infinities have no JSON. */
export function areFinite(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(areFinite);
}

/** The value at a path of fields; undefined if there is none. */
export function valueAtPath(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let found = value;
  for (const field of path) found = isObject(found) && Object.hasOwn(found, field) ? found[field] : undefined;
  return found;
}

/** Integers up to this size become JSON numbers; larger ones become strings. */
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Converts `value` to JSON. It errs (`undefined`) for a value without a JSON form: a type, a hierarchy, an empty
 * optional, or a map with keys that are not strings, in the server's words. It also errs for NaN and the infinities,
 * for which the server fails the whole response. Every nested value costs a step: a value that occurs many times takes
 * no extra memory in CEL, but it does as JSON.
 */
export function toJson(ev: Evaluation, value: CelValue): JsonValue | undefined {
  if (!spend(ev, 1)) return undefined;
  if (typeof value === "string") return spend(ev, value.length >> 6) ? value : undefined;
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : fail(ev, "the output is not a finite number");
  if (typeof value === "bigint") return integer(value);
  if (value instanceof Uint) return integer(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Uint8Array) return encodeBase64(ev, value);
  if (Array.isArray(value)) return listJson(ev, value);
  if (value instanceof MessageValue) return mapJson(ev, value.shown);
  if (value instanceof OptionalValue) {
    return value.value === undefined ? fail(ev, "optional.none() dereference") : toJson(ev, value.value);
  }
  return isMap(value) ? mapJson(ev, value) : fail(ev, inconvertible(value));
}

function inconvertible(value: CelValue): string {
  if (value instanceof TypeValue) return "type conversion not supported for 'type'";
  return `unsupported native conversion from ${bareTypeOf(value)} to '*structpb.Value'`;
}

function keyFault(key: CelValue): string {
  return typeof key === "boolean"
    ? "type conversion error from bool to 'string'"
    : `unsupported type conversion from '${typeOf(key)}' to string`;
}

function integer(value: bigint): JsonValue {
  return value <= MAX_SAFE && value >= -MAX_SAFE ? Number(value) : String(value);
}

function listJson(ev: Evaluation, list: readonly CelValue[]): JsonValue | undefined {
  const json: JsonValue[] = [];
  for (const element of list) {
    const item = toJson(ev, element);
    if (item === undefined) return undefined;
    json.push(item);
  }
  return json;
}

function mapJson(ev: Evaluation, map: CelMap): JsonValue | undefined {
  const json: { [key: string]: JsonValue } = Object.create(null);
  const entries: Iterable<readonly [CelValue, CelValue]> = map instanceof Entries ? map : Object.entries(map);
  for (const [key, value] of entries) {
    if (typeof key !== "string") return fail(ev, keyFault(key));
    const item = toJson(ev, value);
    if (item === undefined) return undefined;
    json[key] = item;
  }
  return json;
}
