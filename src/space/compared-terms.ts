/** The operands of a comparison, as far as their values can be chosen. */

import type { JsonValue } from "../cel/json.js";
import type { Dimension, DynamicOperand } from "./dimension.js";

export type ComparedTerm =
  | { readonly kind: "constant"; readonly value: JsonValue }
  /** A value of the request or, with `element`, one of its elements. */
  | { readonly kind: "value"; readonly dimension: Dimension; readonly element: boolean }
  | { readonly kind: "size"; readonly dimension: Dimension }
  | { readonly kind: "list"; readonly items: readonly ComparedTerm[] }
  /** A concatenated text, or a sum. */
  | {
      readonly kind: "made";
      readonly sort: "string" | "number";
      readonly parts: readonly ComparedTerm[];
      readonly dynamic: DynamicOperand;
    }
  | { readonly kind: "time"; readonly of: ComparedTerm }
  | { readonly kind: "now"; readonly offset: number }
  | { readonly kind: "age"; readonly of: ComparedTerm }
  | { readonly kind: "seconds"; readonly value: number }
  | { readonly kind: "either"; readonly of: readonly ComparedTerm[] }
  | { readonly kind: "unknown"; readonly of: readonly ComparedTerm[] };

/** The request values in a term. */
export function dimensionsIn(term: ComparedTerm): readonly Dimension[] {
  switch (term.kind) {
    case "value":
    case "size":
      return [term.dimension];
    case "list":
      return term.items.flatMap(dimensionsIn);
    case "made":
      return term.parts.flatMap(dimensionsIn);
    case "time":
    case "age":
      return dimensionsIn(term.of);
    case "either":
    case "unknown":
      return term.of.flatMap(dimensionsIn);
    default:
      return [];
  }
}

/** The constants in a term. */
export function constantsIn(term: ComparedTerm): readonly JsonValue[] {
  switch (term.kind) {
    case "constant":
      return [term.value];
    case "list":
      return term.items.flatMap(constantsIn);
    case "made":
      return term.parts.flatMap(constantsIn);
    case "either":
    case "unknown":
      return term.of.flatMap(constantsIn);
    case "time":
    case "age":
      return constantsIn(term.of);
    default:
      return [];
  }
}
