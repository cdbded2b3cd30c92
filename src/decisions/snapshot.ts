/** A copy of a request for which each value was read once. */

import { keepOne } from "../cel/kept.js";
import { Copies, put } from "../engine/frame/copies.js";
import type { PermissionRequest } from "./types.js";

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
interface Shape extends ReadonlyMap<string, Shape | "attributes"> {}

const SUBJECT: Shape = new Map([
  ["attr", "attributes"],
  ["attributes", "attributes"],
]);
const REQUEST: Shape = new Map([
  ["key", SUBJECT],
  ["resource", SUBJECT],
  ["account", SUBJECT],
]);

class Snapshot {
  private readonly copies = new Copies();

  /** The own fields of a request or of a part of it. What is no object stays what it is, and is none. */
  fields(value: unknown, shape: Shape): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value) || value instanceof Date) return null;
    const copy: { [name: string]: unknown } = {};
    for (const name of Object.keys(value)) put(copy, name, this.part(value, name, shape));
    return copy;
  }

  /** What a getter or a proxy throws is not looked at, here and below: it may itself be hostile. */
  private part(of: object, name: string, shape: Shape): unknown {
    try {
      const field: unknown = Reflect.get(of, name);
      const within = shape.get(name);
      if (within === "attributes") return this.attributes(field);
      return within === undefined ? this.field(field) : this.fields(field, within);
    } catch {
      return null;
    }
  }

  /** A name, a list of names, or the clock. */
  private field(value: unknown): unknown {
    if (value instanceof Date) return new Date(value.getTime());
    return Array.isArray(value) ? this.copies.list(value) : typeof value === "object" ? null : value;
  }

  private attributes(value: unknown): unknown {
    return isMap(value) ? this.copies.attributes(value) : value;
  }
}
keepOne(new Snapshot());

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
