/**
 * Reads the fields of a caller's objects. A caller may pass anything, so only the own fields of an object count. This
 * is the invariant "own properties": nothing inherited is ever a role or an id.
 */

import type { AccountFrame, KeyFrame, ResourceFrame } from "../engine/frame/frame.js";
import { isPlain, isPolluted, type RequestFields } from "./well-formed.js";

export function fieldsOf({ id, kind, roles, attr, attributes, policyVersion, scope }: RequestFields): RequestFields {
  return fields(id, kind, roles, attr, attributes, policyVersion, scope);
}

/** Whether a part of a request that was read is a frame. Otherwise it is fields, which have no `part`. */
export function isFrame<F extends KeyFrame | AccountFrame | ResourceFrame>(
  read: F | RequestFields | undefined,
): read is F {
  return read !== undefined && "part" in read;
}

/** An object with its own fields alone; the object itself if it has no other fields. */
export function ownFields<T extends object>(value: T): T {
  return isPlain(value) && !isPolluted() ? value : Object.assign(Object.create(null), value);
}

/** Of the fields that were read from `value`, its own. */
export function ownOf(value: RequestFields, read: RequestFields): RequestFields {
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
): RequestFields {
  return { id, kind, roles, attr, attributes, policyVersion, scope };
}
