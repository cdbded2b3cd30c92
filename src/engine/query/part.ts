/** What a part of an expression came to, where not all that it reads is known, and what is left of it. */

import type { Expr } from "../../cel/ast.js";
import { sizeOf } from "../../cel/equality.js";
import { OPERATORS } from "../../cel/operators.js";
import { type CelValue, isList, isMap } from "../../cel/values.js";
import { mapped } from "../residual/mapped.js";
import { constantOf, FALSE, literal } from "../residual/residue.js";

/** Of a value that has words, a literal is left. */
export type Part =
  | { readonly state: "value"; readonly value: CelValue; readonly left: Expr }
  | { readonly state: "unknown" | "error"; readonly left: Expr };

export function valued(value: CelValue, left: Expr): Part {
  return { state: "value", value, left };
}

export function isTruth(part: Part | undefined, truth: boolean): boolean {
  return part?.state === "value" && part.value === truth;
}

/** The value of what is left, which can be known of what was not: `R.attr.x in []`. */
export function leftValue(part: Part): CelValue | undefined {
  return part.state === "value" ? part.value : constantOf(part.left);
}

/** What cel-go still simplifies of a call that has no value. */
export function pruned(expr: Expr): Expr {
  if (expr.kind !== "call") return expr;
  const kind = OPERATORS.get(expr.fn)?.kind;
  const [first, second] = expr.args;
  if (kind === "membership") {
    const container = second === undefined ? undefined : constantOf(second);
    return container !== undefined && isEmpty(container) ? FALSE : expr;
  }
  const value = kind === "not" && first !== undefined ? constantOf(first) : undefined;
  return typeof value === "boolean" ? literal(!value) : expr;
}

/** Whatever has a size, a text too. */
export function isEmpty(value: CelValue): boolean {
  if (typeof value === "string" || isList(value) || value instanceof Uint8Array) return value.length === 0;
  return isMap(value) && sizeOf(value) === 0;
}

/** The same node with other parts. */
export function withParts(expr: Expr, parts: readonly Expr[]): Expr {
  let next = 0;
  return mapped(expr, (part) => {
    // Bodies of macros, which come after the range, are none of the parts.
    const made = parts[next++] ?? part;
    return part.kind === "optional" ? { ...part, value: made } : made;
  });
}
