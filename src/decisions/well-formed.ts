/**
 * Validates each value of a request.
 *
 * The predicates are constants of a function, and not of the module. V8 knows that nobody replaces the constants of a
 * function. Before it calls a function of a module, it compares that function with the one that it knows, and it loads
 * the constants of the module. For some dozen calls a decision, that is a sixth of the cost of the decision.
 */

import type { JsonMap } from "../cel/values.js";
import { MAX_NAME_LENGTH, MAX_ROLES } from "../limits.js";

/** The fields of requests, keys, accounts and resources. */
export interface RequestFields {
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

/** For functions that need them as constants of their own. */
export const WELL_FORMED = predicates();

export const { isObject, isPlain, isPolluted, isAttributes, isName, namesOf } = WELL_FORMED;

function predicates() {
  const OBJECT: object = Object.prototype;
  const { getPrototypeOf } = Object;
  const { isArray } = Array;

  function isObject(value: unknown): value is RequestFields {
    return typeof value === "object" && value !== null;
  }

  /**
   * Whether only own fields were read from `value`, if nothing is polluted. Called right after the fields were read:
   * there it costs next to nothing.
   */
  function isPlain(value: RequestFields): boolean {
    const prototype: unknown = getPrototypeOf(value);
    return prototype === OBJECT || prototype === null;
  }

  /** The same for a key, a resource or an account, which may be of a class that has none of the fields. */
  function isOwnPart(value: RequestFields): boolean {
    const prototype: unknown = getPrototypeOf(value);
    return prototype === OBJECT || hasNoFields(prototype);
  }

  function hasNoFields(prototype: unknown): boolean {
    return prototype === null || (isObject(prototype) && !hasPartFields(prototype));
  }

  /** Inlined: a constant name is looked up in a fraction of the time of a variable one. */
  function hasPartFields(prototype: RequestFields): boolean {
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

  /** Whether a program has put one of these names on `Object.prototype`. */
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

  /** One comparison tests both limits: a length of 0 wraps around to the largest number. */
  function isName(value: unknown): value is string {
    return typeof value === "string" && (value.length - 1) >>> 0 < MAX_NAME_LENGTH;
  }

  /**
   * A copy, so that the names that were validated are those that count. Undefined if an entry is not a name, or if there
   * are too many.
   */
  function namesOf(value: unknown): readonly string[] | undefined {
    if (!isArray(value)) return undefined;
    const given: readonly unknown[] = value;
    const { length } = given;
    if (length === 1) {
      const name = given[0];
      return isName(name) ? [name] : undefined;
    }
    if (length > MAX_ROLES) return undefined;
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
