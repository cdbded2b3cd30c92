/**
 * Fields of what a caller passes, which may be anything: only what is an object's own is read of it. This is the invariant
 * "own properties": nothing inherited is ever a role or an id.
 */

import type { AccountFrame, KeyFrame, ResourceFrame } from "../engine/frame/frame.js";
import { type Fields, isPlain, isPolluted } from "./well-formed.js";

export function fieldsOf({ id, kind, roles, attr, attributes, policyVersion, scope }: Fields): Fields {
  return fields(id, kind, roles, attr, attributes, policyVersion, scope);
}

/** Given a part of a request that was read: is it a frame? Otherwise it is fields, which have no `part`. */
export function isFrame<F extends KeyFrame | AccountFrame | ResourceFrame>(read: F | Fields | undefined): read is F {
  return read !== undefined && "part" in read;
}

/** An object as one that has no fields but its own, and these as they are; the object itself, where it is one. */
export function ownFields<T extends object>(value: T): T {
  return isPlain(value) && !isPolluted() ? value : Object.assign(Object.create(null), value);
}

/** Of what was read of `value`, what is its own. */
export function ownOf(value: Fields, read: Fields): Fields {
  if (isPlain(value) && !isPolluted()) return read;
  const own = Object.entries(read).filter(([name]) => Object.hasOwn(value, name));
  return Object.assign(Object.create(null), Object.fromEntries(own));
}

export function fields(
  id: unknown,
  kind: unknown,
  roles: unknown,
  attr: unknown,
  attributes: unknown,
  policyVersion: unknown,
  scope: unknown,
): Fields {
  return { id, kind, roles, attr, attributes, policyVersion, scope };
}
