/** A copy of a request for which each value was read once. */

import type { PermissionRequest } from "./types.js";

/** Values of one request. What has more cannot be read. */
const MAX_VALUES = 1_000_000;

/** Deepest nesting of attributes: what is deeper is no data. */
const MAX_DEPTH = 1_000;

/**
 * A copy of a request as plain data, for which each value was read once: what is decided on it is what holds of exactly
 * these values, whatever getters and proxies the request is made of, and whatever becomes of it. Never throws.
 *
 * In place of an attribute, or of what is in one, that is no JSON or cannot be read stands what is no data: to read it is
 * an error (a number that is not finite, a hole of a list, a `Date`, a `Map`). Of any other part `null` stands there, which
 * no part may be.
 */
export function snapshot<R extends PermissionRequest>(request: R): R;
export function snapshot(request: unknown): unknown {
  try {
    return new Snapshot().fields(request, REQUEST);
  } catch {
    return null;
  }
}

/** Fields that are looked into: the others have a value of no parts, but for roles. */
interface Shape {
  readonly [field: string]: Shape | "attributes";
}

const SUBJECT: Shape = { attr: "attributes", attributes: "attributes" };
const REQUEST: Shape = { key: SUBJECT, resource: SUBJECT, account: SUBJECT };

/** No data, wherever it stands: see `isData` and `isForeign` of `cel/values.ts`. */
class Unreadable {}
const UNREADABLE: object = Object.freeze(new Unreadable());

class Snapshot {
  private left = MAX_VALUES;
  /** The copies of objects, so that one that is there twice, or within itself, is read once. */
  private readonly copies = new Map<object, unknown>();

  /** The own fields of a request or of a part of it. What is no object stays what it is, and is none. */
  fields(value: unknown, shape: Shape): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value) || value instanceof Date) return null;
    const copy: { [name: string]: unknown } = Object.create(null);
    for (const name of Object.keys(value)) copy[name] = this.part(value, name, shape);
    return copy;
  }

  /** What a getter or a proxy throws is not looked at, here and below: it may itself be hostile. */
  private part(of: object, name: string, shape: Shape): unknown {
    try {
      const field: unknown = Reflect.get(of, name);
      if (typeof field !== "object") return field;
      const within = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (within === "attributes") return this.attributes(field);
      return within === undefined ? this.field(field) : this.fields(field, within);
    } catch {
      return null;
    }
  }

  /** A name, a list of names, or the clock. */
  private field(value: unknown): unknown {
    if (value instanceof Date) return new Date(value.getTime());
    return Array.isArray(value) ? this.list(value, 0) : typeof value === "object" ? null : value;
  }

  /** Attributes are what an object has of its own, whatever made it. */
  private attributes(value: unknown): unknown {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? this.map(value, 0) : value;
  }

  private value(value: unknown, depth: number): unknown {
    this.left -= 1;
    this.count();
    switch (typeof value) {
      case "string":
      case "boolean":
      case "undefined":
        return value;
      case "number":
        return Number.isFinite(value) ? value : UNREADABLE;
      case "object":
        if (value === null) return null;
        if (depth > MAX_DEPTH) return UNREADABLE;
        if (Array.isArray(value)) return this.list(value, depth);
        return isPlain(value) ? this.map(value, depth) : UNREADABLE;
      default:
        return UNREADABLE;
    }
  }

  private map(map: object, depth: number): unknown {
    const known = this.copies.get(map);
    if (known !== undefined) return known;
    const copy: { [name: string]: unknown } = Object.create(null);
    this.copies.set(map, copy);
    for (const name of Object.keys(map)) copy[name] = this.member(map, name, depth);
    return copy;
  }

  private list(list: readonly unknown[], depth: number): unknown {
    const known = this.copies.get(list);
    if (known !== undefined) return known;
    const copy: unknown[] = [];
    this.copies.set(list, copy);
    const { length } = list;
    for (let i = 0; i < length; i++) {
      const item = this.member(list, i, depth);
      copy.push(item === undefined ? UNREADABLE : item);
    }
    return copy;
  }

  private member(within: object, name: string | number, depth: number): unknown {
    try {
      return this.value(Reflect.get(within, name), depth + 1);
    } catch {
      this.count();
      return UNREADABLE;
    }
  }

  /** Throws where there are too many values. */
  private count(): void {
    if (this.left < 0) throw new Error("more values than one request may have");
  }
}

/** As `isPlain` of `cel/values.ts`, which is not imported: what decides for HTTP goes without the engine. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}

const OBJECT = Object.prototype;
