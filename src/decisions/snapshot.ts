/** Copies requests, with each value read once. */

import { keepShapeAlive } from "../cel/keep-alive.js";
import { Copies, put } from "../engine/frame/copies.js";
import type { PermissionRequest } from "./types.js";

/**
 * A copy of a request as plain data, for which each value was read once. A decision on the copy is a decision on
 * exactly these values, even if the request has getters or proxies, or changes later. Never throws.
 *
 * An attribute, or a value inside one, that is not JSON or cannot be read (a number that is not finite, a hole of a
 * list, a `Date`, a `Map`) is replaced by a value that is not data: reading that is an error. Any other such part is
 * replaced by `null`, which is valid for no part.
 */
export function snapshot<R extends PermissionRequest>(request: R): R;
export function snapshot(request: unknown): unknown {
  try {
    return new SnapshotCopier().fields(request, REQUEST);
  } catch {
    return null;
  }
}

/** Fields with fields of their own. The others have scalar values, roles apart. */
interface SnapshotShape extends ReadonlyMap<string, SnapshotShape | "attributes"> {}

const SUBJECT: SnapshotShape = new Map([
  ["attr", "attributes"],
  ["attributes", "attributes"],
]);
const REQUEST: SnapshotShape = new Map([
  ["key", SUBJECT],
  ["resource", SUBJECT],
  ["account", SUBJECT],
]);

class SnapshotCopier {
  private readonly copies = new Copies();

  /**
   * The own fields of a request or of a part of it. Non-objects are returned unchanged; validation rejects them later.
   */
  fields(value: unknown, shape: SnapshotShape): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value) || value instanceof Date) return null;
    const copy: { [name: string]: unknown } = {};
    for (const name of Object.keys(value)) put(copy, name, this.part(value, name, shape));
    return copy;
  }

  /** An error that a getter or a proxy throws is not read, here and below: it may itself be hostile. */
  private part(of: object, name: string, shape: SnapshotShape): unknown {
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
keepShapeAlive(new SnapshotCopier());

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
