/** Where a generated expression stands, what it may do, and what it can read there. */

import type { Text } from "./texts.js";
import type { Layer } from "./vocabulary.js";

/**
 * What an expression may do, each profile being part of the one before:
 * - `optionals`: everything, optionals among it.
 * - `whole`: everything else, also what only a set of the whole language has: globals, scopes, `runtime`.
 * - `any`: everything about the request.
 * - `removal`: nothing that can tell that a value is absent without an error (`has`, the keys of a map).
 * - `typed`: nothing that can tell that an attribute has another type without an error (`==` on it, say).
 *
 * With the last two, fail-closed is a theorem: taking an attribute away (`removal`), or giving one of a well-typed
 * request another type (`typed`), never turns a refusal into `allow`.
 */
export type Profile = "optionals" | "whole" | "any" | "removal" | "typed";

/** Whether sets of a profile have everything that policies can have, and their expressions whatever that brings. */
export function isWhole(profile: Profile): boolean {
  return profile === "whole" || profile === "optionals";
}

/** Where an expression stands, which says what it can name. */
export type Place =
  /** A rule, a condition, an output: everything. */
  | "rule"
  /** A local variable that others build on: attributes and constants. */
  | "local"
  /** An exported variable that others build on: attributes only. */
  | "exported"
  /** A local variable that reads the ones above. */
  | "localFlag"
  /** An exported variable that reads the exported ones above. */
  | "exportedFlag";

export interface Context {
  readonly layer: Layer;
  readonly profile: Profile;
  readonly place: Place;
}

/** The values that expressions are made of: each arbitrary reads one from the request, a variable or a constant. */
export interface Reads {
  readonly word: Text;
  readonly id: Text;
  readonly num: Text;
  readonly bool: Text;
  readonly words: Text;
  /** `words`, and those whose order cannot be told. */
  readonly anyWords: Text;
  readonly nums: Text;
  readonly map: Text;
  readonly log: Text;
  readonly time: Text;
  readonly path: Text;
  /** What the above are compared with: literals and constants. */
  readonly aWord: Text;
  readonly someWords: Text;
  readonly aNumber: Text;
}
