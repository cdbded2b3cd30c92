/** Copies of the JSON in a request. Each value is read once. */

import { isPlainObject, isScalar } from "../../cel/data.js";
import { keepShapeAlive } from "../../cel/keep-alive.js";
import type { JsonMap } from "../../cel/values.js";
import { LARGE_MEMBER, MAX_VALUES } from "../../limits.js";

/** A map with more members than this is large: its members take far longer to copy than those of small maps. */
const LARGE_MAP = 128;

/** The deepest nesting of attributes. A deeper value is not data. */
const MAX_DEPTH = 1_000;

/** Replaces a value that is not data: see `isData` and `isForeign` of `values.ts`. */
class Unreadable {}
export const UNREADABLE: object = Object.freeze(new Unreadable());

/** The values that were read already, by name: the place of each in a list, and the values read inside it. */
export type ReadNames = ReadonlyMap<string, { readonly at: number; readonly inside: ReadNames }>;

/** The properties of an object, by name. */
interface ObjectMembers {
  readonly [name: string]: unknown;
}

const NONE_READ: ReadNames = new Map();
const NO_VALUES: readonly unknown[] = [];

/**
 * Makes copies of the attributes of one request. {@link UNREADABLE} replaces a value that is not JSON or cannot be read
 * (a number that is not finite, a hole of a list, a `Date`, a `Map`): an expression that reads it errs.
 *
 * INVARIANT (read once): a decision reads each value of the request once, even through getters and proxies. Values that
 * frames have are passed in, and later readers read the copy.
 */
export class Copies {
  private left = MAX_VALUES;
  /** The copies by their originals: an object that is there twice, or contains itself, is read once. */
  private copies: Map<object, object> | undefined = undefined;
  /** The values that were read already; undefined: the attribute is absent. */
  private readonly values: readonly unknown[];

  constructor(values = NO_VALUES) {
    this.values = values;
  }

  /**
   * Copies the own properties of an object of any class: those in `names`, or all. Throws if there are too many values,
   * or if a proxy does not tell its properties.
   */
  attributes(of: ObjectMembers, names?: readonly string[], read = NONE_READ): JsonMap {
    const done = names === undefined ? this.copies?.get(of) : undefined;
    if (done !== undefined && isMap(done)) return done;
    const copy: { [name: string]: unknown } = {};
    if (names === undefined) this.made(of, copy);
    const all = names ?? this.namesOf(of);
    for (let i = 0; i < all.length; i++) {
      const name = all[i];
      if (name === undefined || (names !== undefined && !has(of, name))) continue;
      this.member(copy, of, name, 0, read);
    }
    return isMap(copy) ? copy : {};
  }

  /** A copy of a value with all that is in it. */
  value(value: unknown): unknown {
    this.count();
    return this.checked(value, 1, NONE_READ);
  }

  /** Counts values. Throws if there are too many. */
  count(values = 1): void {
    this.left -= values;
    if (this.left < 0) throw TOO_MANY;
  }

  /** Copies a list with all that is in it. */
  list(list: readonly unknown[], depth = 0): readonly unknown[] {
    const known = this.copies?.get(list);
    if (Array.isArray(known)) return known;
    const { length } = list;
    this.count(length);
    const copy = new Array<unknown>(length);
    this.made(list, copy);
    for (let i = 0; i < length; i++) copy[i] = this.checked(itemAt(list, i), depth + 1, NONE_READ);
    return copy;
  }

  private made(of: object, copy: object): void {
    this.copies ??= new Map();
    this.copies.set(of, copy);
  }

  private map(map: ObjectMembers, depth: number, inside: ReadNames): object {
    const known = this.copies?.get(map);
    if (known !== undefined) return known;
    const copy: { [name: string]: unknown } = {};
    this.made(map, copy);
    for (const name of this.namesOf(map)) this.member(copy, map, name, depth, inside);
    return copy;
  }

  /** The names of all members, after counting those of a large map. */
  private namesOf(map: ObjectMembers): readonly string[] {
    const names = Object.getOwnPropertyNames(map);
    if (names.length > LARGE_MAP) this.count(names.length * (LARGE_MEMBER - 1));
    return names;
  }

  private member(
    copy: { [name: string]: unknown },
    of: ObjectMembers,
    name: string,
    depth: number,
    read: ReadNames,
  ): void {
    const found = read.size === 0 ? undefined : read.get(name);
    const value = found === undefined ? valueIn(of, name) : this.values[found.at];
    this.count();
    if (value !== undefined) put(copy, name, this.checked(value, depth + 1, found?.inside ?? NONE_READ));
  }

  /** An error that a proxy throws is not read: it may itself be hostile. */
  private checked(value: unknown, depth: number, inside: ReadNames): unknown {
    if (typeof value !== "object" || value === null) return isScalar(value) ? value : UNREADABLE;
    try {
      return this.object(value, depth, inside);
    } catch {
      if (this.left < 0) throw TOO_MANY;
      return UNREADABLE;
    }
  }

  private object(value: object, depth: number, inside: ReadNames): unknown {
    if (depth > MAX_DEPTH) return UNREADABLE;
    if (Array.isArray(value)) return value.length > MAX_VALUES ? UNREADABLE : this.list(value, depth);
    return isPlainObject(value) ? this.map(value, depth, inside) : UNREADABLE;
  }
}
keepShapeAlive(new Copies());

const TOO_MANY = new Error("more values than one request may have");

/** The value of a property; not data if reading it throws. */
function valueIn(map: ObjectMembers, name: string): unknown {
  try {
    return map[name];
  } catch {
    return UNREADABLE;
  }
}

function itemAt(list: readonly unknown[], at: number): unknown {
  try {
    return list[at];
  } catch {
    return UNREADABLE;
  }
}

/** If a proxy throws here, its property is read, and an error then makes the property unreadable. */
function has(of: object, name: string): boolean {
  try {
    return Object.hasOwn(of, name);
  } catch {
    return true;
  }
}

/** Sets a property. A name that all objects inherit, such as `__proto__`, becomes an own property, too. */
export function put(copy: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name in copy) Object.defineProperty(copy, name, { value, enumerable: true });
  else copy[name] = value;
}

/** A shallow copy of a list. A list that is too long is not data. */
export function listCopy(list: readonly unknown[]): unknown {
  const { length } = list;
  if (length > MAX_VALUES) return UNREADABLE;
  if (length > SHORT && COPY !== undefined) return Reflect.apply(COPY, list, [0, 0]);
  const copy = new Array<unknown>(length);
  for (let i = 0; i < length; i++) copy[i] = list[i];
  return copy;
}

/** Up to this length a loop is faster than {@link COPY}. */
const SHORT = 8;

/** Copies a list by its length and indexes alone: iterators and species of the list are not used. */
const COPY: ((this: readonly unknown[], start: number, skip: number) => unknown) | undefined =
  Array.prototype.toSpliced;

/** A deep copy of a list or a map, which `copies` counts. Other values are returned unchanged. */
export function deepCopy(value: unknown, copies: Copies): unknown {
  return typeof value !== "object" || value === null ? value : copies.value(value);
}

/**
 * A copy of a list of maps, each copied by `copy`. Lists in it are copied deeply; objects that are neither lists nor
 * plain maps are not data. `copies` counts the items, and what is copied deeply.
 */
export function searchedCopy(list: unknown, copy: (map: object, copies: Copies) => unknown, copies: Copies): unknown {
  if (!Array.isArray(list)) return deepCopy(list, copies);
  const made = listCopy(list);
  if (!Array.isArray(made)) return made;
  copies.count(made.length);
  for (let i = 0; i < made.length; i++) {
    const item: unknown = made[i];
    if (typeof item !== "object" || item === null) continue;
    made[i] = isPlainObject(item) ? copy(item, copies) : Array.isArray(item) ? deepCopy(item, copies) : UNREADABLE;
  }
  return made;
}

function isMap(value: object): value is JsonMap {
  return !Array.isArray(value);
}
