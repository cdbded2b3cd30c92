/**
 * CEL values at run time. JSON attributes are used without conversion:
 *
 * | CEL | JavaScript |
 * |---|---|
 * | double | `number` |
 * | int | `bigint` |
 * | uint | {@link Uint} |
 * | string, bool, null | `string`, `boolean`, `null` |
 * | bytes | `Uint8Array` |
 * | timestamp, duration | {@link Timestamp}, {@link Duration} |
 * | type | {@link TypeValue} |
 * | list | array |
 * | map | plain object (JSON) or {@link Entries} (map literals) |
 * | optional | {@link OptionalValue} |
 * | types of Cerbos's own functions | subclasses of {@link Opaque} |
 * | error | `undefined` (see `evaluation.ts`) |
 *
 * INVARIANT (own properties): only own properties of plain objects are read, so nothing inherited (from a polluted
 * prototype, say) is ever data.
 */

import { isPlainObject, isScalar } from "./data.js";
import { keepShapeAlive } from "./keep-alive.js";

export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Opaque
  | CelList
  | CelMap;

export type CelList = readonly CelValue[];
/** A JSON value that is neither a list nor a map. */
export type JsonScalar = null | boolean | number | string;

export type JsonMap = { readonly [key: string]: CelValue };
export type CelMap = JsonMap | ReadonlyMap<CelValue, CelValue>;

/** An unsigned 64-bit integer. `value` is within 0 … 2^64 - 1. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}
keepShapeAlive(new Uint(0n));

/**
 * An instant. `seconds` since 1970-01-01T00:00:00Z (whole, may be negative), `nanos` 0 … 999,999,999. `offset` (minutes
 * east of UTC) does not affect comparisons; as in Go it is kept for `string(timestamp)`.
 */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  readonly offset: number;
  constructor(seconds: number, nanos: number, offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}
keepShapeAlive(new Timestamp(0, 0));

/** A length of time in whole nanoseconds, within a signed 64-bit integer. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}
keepShapeAlive(new Duration(0n));

/** A type as a value, the result of `type(x)`. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library type that has no literal form (a hierarchy, a SPIFFE id). */
export abstract class Opaque {
  /** The type's name, as `type(x)` shows it. */
  abstract readonly typeName: string;
  abstract equals(other: CelValue): boolean;
  /** About how many characters {@link equals} compares, for its cost. */
  readonly size: number = 0;
  /** Whether `==` with `other` has an answer. Otherwise it is an error, as in the PDP. */
  comparableWith(other: CelValue): boolean {
    return other instanceof Opaque && other.typeName === this.typeName;
  }
}

/** `optional.of(value)`; without a value, `optional.none()`. */
export class OptionalValue extends Opaque {
  readonly typeName = "optional_type";
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    super();
    this.value = value;
  }

  /** Compares by identity. `equality.ts` compares the values inside. */
  equals(other: CelValue): boolean {
    return other instanceof OptionalValue && other.value === this.value;
  }

  override comparableWith(_other: CelValue): boolean {
    return true;
  }
}

/** `optional.none()`. */
export const NONE = new OptionalValue(undefined);

/** A map with entries of its own, such as a map literal. A plain `Map` in an attribute does not count. */
export class Entries extends Map<CelValue, CelValue> {}

/** Whether `value` is a map of either form. */
export function isMap(value: CelValue): value is CelMap {
  return typeof value === "object" && value !== null && (isPlain(value) || value instanceof Entries);
}

/** Whether `value` is an object as `JSON.parse` makes them, tested in a few comparisons. */
export function isPlain(value: object): value is JsonMap {
  return isPlainObject(value);
}

/**
 * Whether a value from a request is JSON, without testing its parts. A `Map`, a `Date`, a class instance, a function, a
 * `bigint`, a number that is not finite, or an object of another realm is not JSON.
 */
export function isData(value: unknown): value is CelValue {
  if (typeof value === "object" && value !== null) return Array.isArray(value) || isPlain(value);
  return isScalar(value);
}

/** Whether `value` is an object that is not a CEL value. An element of a list in a request can be one. */
export function isForeign(value: CelValue): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isPlain(value)) return false;
  return !(
    value instanceof Opaque ||
    value instanceof Entries ||
    value instanceof Timestamp ||
    value instanceof Duration ||
    value instanceof Uint ||
    value instanceof TypeValue ||
    value instanceof Uint8Array
  );
}

/** The fault for an {@link isForeign} value. */
export const NOT_DATA = "the value is not JSON data";

export function isList(value: CelValue): value is CelList {
  return Array.isArray(value);
}
