/** Copies of JSON that a request brings, for which each value is read once. */

import { keepOne } from "./kept.js";
import type { JsonMap } from "./values.js";

/** Values of one request. What has more cannot be read, and a list of more is no data. */
const MAX_VALUES = 1_000_000;

/** Deepest nesting of attributes: what is deeper is no data. */
const MAX_DEPTH = 1_000;

/** No data, wherever it stands: see `isData` and `isForeign` of `values.ts`. */
class Unreadable {}
export const UNREADABLE: object = Object.freeze(new Unreadable());

/** Which values were read already, by their names: where each stands in a list of them, and what was read in it. */
export type ReadNames = ReadonlyMap<string, { readonly at: number; readonly inside: ReadNames }>;

/** What an object has, by name. */
interface Members {
  readonly [name: string]: unknown;
}

const NONE_READ: ReadNames = new Map();
const NO_VALUES: readonly unknown[] = [];

/**
 * Makes copies of the attributes of one request. In place of what is no JSON or cannot be read stands what is no data: to
 * read it is an error (a number that is not finite, a hole of a list, a `Date`, a `Map`).
 *
 * INVARIANT (read once): a value of the request is read once for a decision, whatever getters and proxies it is made of:
 * what was read before is passed as known, and whoever reads after that reads a copy.
 */
export class Copies {
  private left = MAX_VALUES;
  /** The copies of objects, so that one that is there twice, or within itself, is read once. */
  private copies: Map<object, object> | undefined = undefined;
  /** What was read already; what was found to be absent is undefined. */
  private readonly values: readonly unknown[];

  constructor(values = NO_VALUES) {
    this.values = values;
  }

  /**
   * Attributes are what an object has of its own, whatever made it. `names`: of these alone; undefined: all. Throws where
   * there are too many values, or the object does not say what it has.
   */
  attributes(of: Members, names?: readonly string[], read = NONE_READ): JsonMap {
    const done = names === undefined ? this.copies?.get(of) : undefined;
    if (done !== undefined && isMap(done)) return done;
    const copy: { [name: string]: unknown } = {};
    if (names === undefined) this.made(of, copy);
    const all = names ?? Object.getOwnPropertyNames(of);
    for (let i = 0; i < all.length; i++) {
      const name = all[i];
      if (name === undefined || (names !== undefined && !has(of, name))) continue;
      this.member(copy, of, name, 0, read);
    }
    return isMap(copy) ? copy : {};
  }

  /** What stands in a list, or anything else: a value, and what is in it. */
  list(list: readonly unknown[], depth = 0): readonly unknown[] {
    const known = this.copies?.get(list);
    if (Array.isArray(known)) return known;
    const copy: unknown[] = [];
    this.made(list, copy);
    const { length } = list;
    for (let i = 0; i < length; i++) {
      copy.push(this.checked(itemAt(list, i), depth + 1, NONE_READ));
    }
    return copy;
  }

  private made(of: object, copy: object): void {
    this.copies ??= new Map();
    this.copies.set(of, copy);
  }

  private map(map: Members, depth: number, inside: ReadNames): object {
    const known = this.copies?.get(map);
    if (known !== undefined) return known;
    const copy: { [name: string]: unknown } = {};
    this.made(map, copy);
    for (const name of Object.getOwnPropertyNames(map)) this.member(copy, map, name, depth, inside);
    return copy;
  }

  private member(copy: { [name: string]: unknown }, of: Members, name: string, depth: number, read: ReadNames): void {
    const found = read.size === 0 ? undefined : read.get(name);
    const value = found === undefined ? valueIn(of, name) : this.values[found.at];
    if (value === undefined) this.count();
    else put(copy, name, this.checked(value, depth + 1, found?.inside ?? NONE_READ));
  }

  /** What a proxy throws when it is looked at is not looked at: it may itself be hostile. */
  private checked(value: unknown, depth: number, inside: ReadNames): unknown {
    this.count();
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
    return isPlain(value) ? this.map(value, depth, inside) : UNREADABLE;
  }

  /** Throws where there are too many values. */
  private count(): void {
    this.left -= 1;
    if (this.left < 0) throw TOO_MANY;
  }
}
keepOne(new Copies());

const TOO_MANY = new Error("more values than one request may have");

/** What stands there; what throws when it is read is no data. */
function valueIn(map: Members, name: string): unknown {
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

/** A proxy that does not say whether it has something is asked for it, and what it throws then is no data. */
function has(of: object, name: string): boolean {
  try {
    return Object.hasOwn(of, name);
  } catch {
    return true;
  }
}

function isScalar(value: unknown): boolean {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value);
    case "string":
    case "boolean":
      return true;
    default:
      return value === null;
  }
}

/** What all objects inherit, `__proto__` and what somebody has added to it, does not keep a copy from having a name. */
export function put(copy: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name in copy) Object.defineProperty(copy, name, { value, enumerable: true });
  else copy[name] = value;
}

/** A copy of a list, with what is in it as it is; what is too long is no data. */
export function listCopy(list: readonly unknown[]): unknown {
  const { length } = list;
  if (length > MAX_VALUES) return UNREADABLE;
  if (length > SHORT && COPY !== undefined) return Reflect.apply(COPY, list, [0, 0]);
  const copy = new Array<unknown>(length);
  for (let i = 0; i < length; i++) copy[i] = list[i];
  return copy;
}

/** Up to this length a loop is faster. */
const SHORT = 8;

/** Reads a list from its beginning to its end, whatever the list says of itself, and makes an array of what it reads. */
const COPY: ((this: readonly unknown[], start: number, skip: number) => unknown) | undefined =
  Array.prototype.toSpliced;

/** A copy of a list or a map with all that is in it. What is neither stays what it is. */
export function deepCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { value: copy } = new Copies().attributes({ value });
  return copy;
}

/**
 * A copy of a list, with that of each map in it which `copy` makes. Objects of other kinds are no data, and lists in it are
 * copied with all that is in them.
 */
export function searchedCopy(list: unknown, copy: (map: object) => unknown): unknown {
  if (!Array.isArray(list)) return deepCopy(list);
  const made = listCopy(list);
  if (!Array.isArray(made)) return made;
  for (let i = 0; i < made.length; i++) {
    const item: unknown = made[i];
    if (typeof item !== "object" || item === null) continue;
    made[i] = isPlain(item) ? copy(item) : Array.isArray(item) ? deepCopy(item) : UNREADABLE;
  }
  return made;
}

/** As `isPlain` of `values.ts`, which is not imported: what decides for HTTP goes without the engine. */
function isPlain(value: object): value is Members {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}

const OBJECT = Object.prototype;

function isMap(value: object): value is JsonMap {
  return !Array.isArray(value);
}
