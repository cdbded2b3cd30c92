/**
 * What is asked of each value of a request.
 *
 * These are constants of a function, and not of the module: of those V8 knows that nobody replaces them, while it compares
 * each function of a module with the one that it knows before it calls it, and loads its constants. For some dozen calls
 * a decision, that is a sixth of what it costs.
 */

import type { JsonMap } from "../cel/values.js";

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

/** Longest id, kind, operation or role, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 4_096;

/** For those who want them as constants of a function of their own. */
export const WELL_FORMED = predicates();

export const { isObject, isPlain, isPolluted, isAttributes, isName, namesOf } = WELL_FORMED;

function predicates() {
  const OBJECT: object = Object.prototype;
  const { getPrototypeOf } = Object;
  const { isArray } = Array;

  function isObject(value: unknown): value is Fields {
    return typeof value === "object" && value !== null;
  }

  /**
   * Whether nothing was read from `value` but its own fields, if nothing is polluted. Asked of the object right after its
   * fields were read: there it costs next to nothing.
   */
  function isPlain(value: Fields): boolean {
    const prototype: unknown = getPrototypeOf(value);
    return prototype === OBJECT || prototype === null;
  }

  /** The same of a key, a resource or an account, which may be of a class that has none of the fields. */
  function isOwnPart(value: Fields): boolean {
    const prototype: unknown = getPrototypeOf(value);
    return prototype === OBJECT || hasNoFields(prototype);
  }

  function hasNoFields(prototype: unknown): boolean {
    return prototype === null || (isObject(prototype) && !hasPartFields(prototype));
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

  /** Whether somebody has put one of our names on `Object.prototype`. */
  function isPolluted(): boolean {
    return (
      hasPartFields(OBJECT) ||
      "key" in OBJECT ||
      "operation" in OBJECT ||
      "resource" in OBJECT ||
      "account" in OBJECT ||
      "now" in OBJECT
    );
  }

  function isAttributes(value: unknown): value is JsonMap {
    return typeof value === "object" && value !== null && !isArray(value);
  }

  /** Less than no length is more than any. */
  function isName(value: unknown): value is string {
    return typeof value === "string" && (value.length - 1) >>> 0 < MAX_NAME_LENGTH;
  }

  /** A copy, so that the names that were looked at are those that count. Undefined if some are none. */
  function namesOf(value: unknown): readonly string[] | undefined {
    if (!isArray(value)) return undefined;
    const given: readonly unknown[] = value;
    const { length } = given;
    if (length === 1) {
      const name = given[0];
      return isName(name) ? [name] : undefined;
    }
    const names: string[] = [];
    for (let i = 0; i < length; i++) {
      const name = given[i];
      if (!isName(name)) return undefined;
      names.push(name);
    }
    return length === 0 ? undefined : names;
  }

  return { isObject, isPlain, isOwnPart, isPolluted, isAttributes, isName, namesOf };
}
