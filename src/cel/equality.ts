/**
 * Equality, order and map lookup of CEL values, as in cel-go v0.30 with cross-type numeric comparison.
 *
 * - `==` between values of different types is false, not an error. Numbers compare across their types; an int or uint
 *   is converted to a double first (`2^53 + 1 == 2.0^53` is true). NaN equals nothing.
 * - `<` needs comparable types, and NaN has no order.
 * - Map keys are found across the numeric types (`{1: "a"}[1.0]`), doubles only when integral.
 */

import { MAX_COMPARED_DEPTH } from "../limits.js";
import { type Evaluation, fail, spend } from "./evaluation.js";
import { MAX_INT, MAX_UINT } from "./numbers.js";
import { compareStrings } from "./text.js";
import {
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  Entries,
  isForeign,
  isList,
  isMap,
  type JsonMap,
  NOT_DATA,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "./values.js";

const TWO_63 = 2 ** 63;
const TWO_64 = 2 ** 64;

/**
 * `a == b`. The cost in steps grows with the size of the values. `undefined` if the budget is exhausted, and where
 * cel-go errs (a hierarchy or SPIFFE value against another type).
 */
export function equals(ev: Evaluation, a: CelValue, b: CelValue): boolean | undefined {
  if (isIncomparable(a, b)) return fail(ev, "no such overload");
  return walk(ev, a, b, 0);
}

/** `a != b`. As in cel-go it is true where `a == b` errs because the values cannot be compared. */
export function differ(ev: Evaluation, a: CelValue, b: CelValue): boolean | undefined {
  if (isIncomparable(a, b)) return true;
  const same = walk(ev, a, b, 0);
  return same === undefined ? undefined : !same;
}

/** Whether `a == b` errs because the values cannot be compared. */
export function isIncomparable(a: CelValue, b: CelValue): boolean {
  return a instanceof Opaque && b !== null && !a.comparableWith(b);
}

/** Texts shorter than this are compared for free; longer ones cost a step for this many characters. */
export const TEXT_STEP = 512;

function sameText(ev: Evaluation, a: string, b: string): boolean | undefined {
  if (a.length !== b.length) return false;
  if (a.length >= TEXT_STEP && !spend(ev, Math.floor(a.length / TEXT_STEP))) return undefined;
  return a === b;
}

function equalsNumber(a: number, b: CelValue): boolean {
  if (typeof b === "bigint") return a === Number(b);
  return b instanceof Uint && a === Number(b.value);
}

function equalsInt(a: bigint, b: CelValue): boolean {
  if (typeof b === "number") return Number(a) === b;
  return b instanceof Uint && a === b.value;
}

function equalsUint(a: Uint, b: CelValue): boolean {
  if (b instanceof Uint) return a.value === b.value;
  if (typeof b === "bigint") return a.value === b;
  return typeof b === "number" && Number(a.value) === b;
}

/** Deep equality. Pays for each list and map before comparing its parts. */
function walk(ev: Evaluation, a: CelValue, b: CelValue, depth: number): boolean | undefined {
  if (typeof b === "object" && isForeign(b)) return fail(ev, NOT_DATA);
  if (typeof a === "string") return typeof b === "string" && sameText(ev, a, b);
  if (typeof a === "number") return typeof b === "number" ? a === b : equalsNumber(a, b);
  if (typeof a === "bigint") return typeof b === "bigint" ? a === b : equalsInt(a, b);
  if (a === null || typeof a === "boolean") return a === b;
  if (isList(a)) return isList(b) && a.length === b.length && walkList(ev, a, b, depth);
  if (a instanceof Uint) return equalsUint(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(ev, a, b);
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Opaque) return walkOpaque(ev, a, b, depth);
  if (!isMap(a)) return fail(ev, NOT_DATA);
  return isMap(b) && walkMap(ev, a, b, depth);
}

function walkList(ev: Evaluation, a: CelList, b: CelList, depth: number): boolean | undefined {
  if (!mayEnter(ev, a.length, depth)) return undefined;
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i];
    if (x === undefined || y === undefined) return false;
    const same = walk(ev, x, y, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

function walkMap(ev: Evaluation, a: CelMap, b: CelMap, depth: number): boolean | undefined {
  const keys = keysOf(a);
  const size = sizeOf(b);
  if (!mayEnter(ev, keys.length + size, depth)) return undefined;
  if (keys.length !== size) return false;
  for (const key of keys) {
    const x = lookup(a, key);
    const y = lookup(b, key);
    if (x === undefined || y === undefined) return false;
    const same = walk(ev, x, y, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

function walkOpaque(ev: Evaluation, a: Opaque, b: CelValue, depth: number): boolean | undefined {
  if (a instanceof OptionalValue) return walkOptional(ev, a, b, depth);
  return spend(ev, 1 + (a.size >> 9)) ? a.equals(b) : undefined;
}

function walkOptional(ev: Evaluation, a: OptionalValue, b: CelValue, depth: number): boolean | undefined {
  if (!(b instanceof OptionalValue)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return mayEnter(ev, 1, depth) ? walk(ev, a.value, b.value, depth + 1) : undefined;
}

function mayEnter(ev: Evaluation, size: number, depth: number): boolean {
  if (depth < MAX_COMPARED_DEPTH) return spend(ev, 1 + (size >> 1));
  fail(ev, "values are nested too deeply");
  return false;
}

function sameBytes(ev: Evaluation, a: Uint8Array, b: Uint8Array): boolean | undefined {
  if (a.length !== b.length) return false;
  if (!spend(ev, a.length >> 6)) return undefined;
  return a.every((byte, i) => byte === b[i]);
}

/** The order of two values; `undefined` if they have none (different types, NaN, types without an order). */
export function compare(a: CelValue, b: CelValue): -1 | 0 | 1 | undefined {
  switch (typeof a) {
    case "number":
      if (typeof b === "number") return order(a, b);
      if (typeof b === "bigint") return doubleToInt(a, b);
      return b instanceof Uint ? doubleToUint(a, b.value) : undefined;
    case "bigint":
      if (typeof b === "bigint") return order(a, b);
      if (typeof b === "number") return reverse(doubleToInt(b, a));
      return b instanceof Uint ? order(a, b.value) : undefined;
    case "string":
      return typeof b === "string" ? compareStrings(a, b) : undefined;
    case "boolean":
      return typeof b === "boolean" ? order(Number(a), Number(b)) : undefined;
  }
  if (a instanceof Timestamp) return b instanceof Timestamp ? compareTimestamps(a, b) : undefined;
  if (a instanceof Duration) return b instanceof Duration ? order(a.nanos, b.nanos) : undefined;
  if (a instanceof Uint) {
    if (b instanceof Uint) return order(a.value, b.value);
    if (typeof b === "bigint") return order(a.value, b);
    return typeof b === "number" ? reverse(doubleToUint(b, a.value)) : undefined;
  }
  return a instanceof Uint8Array && b instanceof Uint8Array ? compareBytes(a, b) : undefined;
}

/** The order of two instants. */
function compareTimestamps(a: Timestamp, b: Timestamp): -1 | 0 | 1 | undefined {
  return a.seconds === b.seconds ? order(a.nanos, b.nanos) : order(a.seconds, b.seconds);
}

function order<T extends number | bigint>(a: T, b: T): -1 | 0 | 1 | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : undefined;
}

function reverse(result: -1 | 0 | 1 | undefined): -1 | 0 | 1 | undefined {
  if (result === undefined || result === 0) return result;
  return result === 1 ? -1 : 1;
}

function doubleToInt(a: number, b: bigint): -1 | 0 | 1 | undefined {
  return order(a, Number(b));
}

function doubleToUint(a: number, b: bigint): -1 | 0 | 1 | undefined {
  return order(a, Number(b));
}

function compareBytes(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 | undefined {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    if (x !== y) return x < y ? -1 : 1;
  }
  return order(a.length, b.length);
}

/** Whether a map is {@link Entries} rather than a plain object. */
export function isEntries(map: CelMap): map is ReadonlyMap<CelValue, CelValue> {
  return map instanceof Entries;
}

interface UintKeys {
  /** The size of the map when this was made; a map that has grown since is looked through again. */
  size: number;
  readonly byValue: Map<bigint, Uint>;
}

/** The uint keys of maps, by value: a `Map` finds a {@link Uint} by identity only. */
const uintKeys = new WeakMap<ReadonlyMap<CelValue, CelValue>, UintKeys>();

function uintKeysOf(map: ReadonlyMap<CelValue, CelValue>): UintKeys {
  const known = uintKeys.get(map);
  if (known !== undefined && known.size === map.size) return known;
  const byValue = new Map<bigint, Uint>();
  for (const key of map.keys()) if (key instanceof Uint) byValue.set(key.value, key);
  const made = { size: map.size, byValue };
  uintKeys.set(map, made);
  return made;
}

/** Sets an entry of a map under construction; the last of two equal keys wins. */
export function setEntry(map: Map<CelValue, CelValue>, key: CelValue, value: CelValue): void {
  if (!(key instanceof Uint)) {
    const index = uintKeys.get(map);
    const isCurrent = index?.size === map.size;
    map.set(key, value);
    if (index !== undefined && isCurrent) index.size = map.size;
    return;
  }
  const known = uintKeysOf(map);
  const same = known.byValue.get(key.value) ?? key;
  known.byValue.set(key.value, same);
  map.set(same, value);
  known.size = map.size;
}

/** The value under `key`, or `undefined`. Of a plain object, own properties only. */
export function lookup(map: CelMap, key: CelValue): CelValue | undefined {
  if (!isEntries(map)) return typeof key === "string" ? ownValue(map, key) : undefined;
  switch (typeof key) {
    case "string":
    case "boolean":
      return map.get(key);
    case "bigint":
      return map.has(key) ? map.get(key) : lookupUint(map, key);
    case "number":
      // A `Map` finds NaN, but in CEL NaN equals nothing.
      if (Number.isNaN(key)) return undefined;
      return map.has(key) ? map.get(key) : lookupInteger(map, key);
  }
  if (key instanceof Uint) {
    const found = lookupUint(map, key.value);
    return found === undefined && key.value <= MAX_INT ? map.get(key.value) : found;
  }
  return key === null ? undefined : map.get(key);
}

/** Whether the map has an entry under `key`. */
export function contains(map: CelMap, key: CelValue): boolean {
  return lookup(map, key) !== undefined;
}

function ownValue(map: JsonMap, key: string): CelValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function lookupUint(map: ReadonlyMap<CelValue, CelValue>, value: bigint): CelValue | undefined {
  if (value < 0n || value > MAX_UINT) return undefined;
  const key = uintKeysOf(map).byValue.get(value);
  return key === undefined ? undefined : map.get(key);
}

function lookupInteger(map: ReadonlyMap<CelValue, CelValue>, key: number): CelValue | undefined {
  if (!Number.isInteger(key)) return undefined;
  if (key >= -TWO_63 && key < TWO_63) {
    const value = BigInt(key);
    return map.has(value) ? map.get(value) : lookupUint(map, value);
  }
  return key > 0 && key < TWO_64 ? lookupUint(map, BigInt(key)) : undefined;
}

/** The keys of a map of either form, in insertion order. */
export function keysOf(map: CelMap): CelValue[] {
  return isEntries(map) ? [...map.keys()] : Object.keys(map);
}

/** The number of entries of a map of either form. */
export function sizeOf(map: CelMap): number {
  return isEntries(map) ? map.size : Object.keys(map).length;
}

/** The name of a value's type, as `type(value)` shows it. */
export function typeOf(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "double";
    case "bigint":
      return "int";
    case "boolean":
      return "bool";
  }
  if (value === null) return "null_type";
  if (isList(value)) return "list";
  if (value instanceof Uint) return "uint";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof TypeValue) return "type";
  return value instanceof Opaque ? value.typeName : "map";
}

/** The last part of {@link typeOf}, as in cel-go's messages: `SPIFFEMatcher`, `hierarchy`, `Timestamp`. */
export function bareTypeOf(value: CelValue): string {
  const name = typeOf(value);
  return name.slice(name.lastIndexOf(".") + 1).replace(/^spiffe/, "SPIFFE");
}
