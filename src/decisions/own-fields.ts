/**
 * Fields of what a caller passes, which may be anything: only what is an object's own is read of it. This is the invariant
 * "own properties": nothing inherited is ever a role or an id.
 */

/** Fields by which requests, keys, accounts and resources are read. */
export interface Fields {
  readonly key?: unknown;
  readonly operation?: unknown;
  readonly resource?: unknown;
  readonly account?: unknown;
  readonly now?: unknown;
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly roles?: unknown;
  readonly attr?: unknown;
  readonly attributes?: unknown;
  readonly policyVersion?: unknown;
  readonly scope?: unknown;
}

const OBJECT: object = Object.prototype;

/**
 * Whether nothing was read from `value` but its own fields, if nothing is polluted. Asked of the object right after its
 * fields were read: there it costs next to nothing.
 */
export function isPlain(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}

/** The same of a key, a resource or an account, which may be of a class that has none of the fields. */
export function isOwnPart(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null || (isObject(prototype) && !hasPartFields(prototype));
}

/** Written out, since a constant name is looked up in a fraction of the time of a variable one. */
function hasPartFields(prototype: Fields): boolean {
  return (
    "id" in prototype ||
    "kind" in prototype ||
    "roles" in prototype ||
    "attr" in prototype ||
    "attributes" in prototype ||
    "policyVersion" in prototype ||
    "scope" in prototype
  );
}

export function fieldsOf({ id, kind, roles, attr, attributes, policyVersion, scope }: Fields): Fields {
  return fields(id, kind, roles, attr, attributes, policyVersion, scope);
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

/** Whether somebody has put one of our names on `Object.prototype`. */
export function isPolluted(): boolean {
  return (
    hasPartFields(OBJECT) ||
    "key" in OBJECT ||
    "operation" in OBJECT ||
    "resource" in OBJECT ||
    "account" in OBJECT ||
    "now" in OBJECT
  );
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
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
