/** The scopes that exist, and the order in which they are searched (docs/cerbos-semantics.md §2.4, §2.7). */

import { scopesAbove } from "../../policy/names.js";

/** `a.b.c`, `a.b`, `a`, `""`. */
export function scopeAndParents(scope: string): readonly string[] {
  return [scope, ...scopesAbove(scope)];
}

const NOWHERE: readonly string[] = Object.freeze([]);
const ROOT_ONLY: readonly string[] = Object.freeze([""]);

/**
 * The existing scopes to search for a request's scope, most specific first. Empty if the scope itself does not exist,
 * unless the search is lenient.
 */
export function scopeChain(known: ReadonlySet<string>, scope: string, lenient: boolean): readonly string[] {
  if (scope === "") return known.has("") ? ROOT_ONLY : NOWHERE;
  if (!lenient && !known.has(scope)) return NOWHERE;
  return scopeAndParents(scope).filter((parent) => known.has(parent));
}

/** The scope of a request: its own or the default one, without the leading `.` that means "not the default". */
export function effectiveScope(given: string, byDefault: string): string {
  return withoutDot(given === "" ? byDefault : given);
}

/** A scope without the leading `.` that means "not the default". */
export function withoutDot(scope: string): string {
  return scope.startsWith(".") ? scope.slice(1) : scope;
}
