/** The place of a generated expression, its allowed forms, and the values it can read. */

import type { Text } from "./texts.js";
import type { Layer } from "./vocabulary.js";

/**
 * The forms that an expression may use. Each profile is a subset of the one before:
 * - `optionals`: everything, with optional values.
 * - `whole`: everything but optional values; includes the features of whole-language sets: globals, scopes, `runtime`.
 * - `any`: everything about the request.
 * - `removal`: nothing that detects an absent value without an error (`has`, the keys of a map).
 * - `typed`: nothing that detects an attribute of another type without an error (such as `==` on it).
 *
 * With the last two profiles, fail-closed is a theorem: removing an attribute (`removal`), or changing the type of one
 * in a well-typed request (`typed`), never turns a refusal into `allow`.
 */
export type Profile = "optionals" | "whole" | "any" | "removal" | "typed";

/** Do sets of the profile use the whole policy language? */
export function isWhole(profile: Profile): boolean {
  return profile === "whole" || profile === "optionals";
}

/** The place of an expression, which determines the names that it can read. */
export type Place =
  /** A rule, a condition or an output: all names. */
  | "rule"
  /** A local variable that others read: attributes and constants. */
  | "local"
  /** A rule of a policy without definitions: attributes only. */
  | "bare"
  /** An exported variable that others read: attributes, and constants of the importer. */
  | "exported"
  /** A local variable that reads the `local` variables. */
  | "localFlag"
  /** An exported variable that reads the `exported` variables. */
  | "exportedFlag";

export interface Context {
  readonly layer: Layer;
  readonly profile: Profile;
  readonly place: Place;
}

/** The operands of expressions. Each arbitrary reads a value from the request, a variable or a constant. */
export interface Reads {
  readonly word: Text;
  readonly id: Text;
  readonly num: Text;
  readonly bool: Text;
  readonly words: Text;
  /** `words`, and lists whose order no expression can detect. */
  readonly anyWords: Text;
  readonly nums: Text;
  readonly map: Text;
  readonly log: Text;
  readonly time: Text;
  readonly path: Text;
  /** The other operand of a comparison: literals and constants. */
  readonly aWord: Text;
  readonly someWords: Text;
  readonly aNumber: Text;
}
