/** The result of a part of an expression with unknown values, and its residual. */

import type { Expr } from "../../cel/ast.js";
import { sizeOf } from "../../cel/equality.js";
import { OPERATORS } from "../../cel/operators.js";
import { type CelValue, isList, isMap } from "../../cel/values.js";
import { mapParts } from "../residual/map-parts.js";
import { constantOf, FALSE, literal } from "../residual/residual-expression.js";

/** If a plan can state a value, its residual is a literal. */
export type ServerPart =
  | { readonly state: "value"; readonly value: CelValue; readonly left: Expr }
  | { readonly state: "unknown" | "error"; readonly left: Expr };

export function valued(value: CelValue, left: Expr): ServerPart {
  return { state: "value", value, left };
}

export function isTruth(part: ServerPart | undefined, truth: boolean): boolean {
  return part?.state === "value" && part.value === truth;
}

/** The value of the residual, which may be known although the operands are not: `R.attr.x in []`. */
export function leftValue(part: ServerPart): CelValue | undefined {
  return part.state === "value" ? part.value : constantOf(part.left);
}

/** The simplifications that cel-go still makes to a call without a value. */
export function pruneAsServer(expr: Expr): Expr {
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

/** Whether a value that has a size, such as a text, is empty. */
export function isEmpty(value: CelValue): boolean {
  if (typeof value === "string" || isList(value) || value instanceof Uint8Array) return value.length === 0;
  return isMap(value) && sizeOf(value) === 0;
}

/** The same node with other parts. */
export function withParts(expr: Expr, parts: readonly Expr[]): Expr {
  let next = 0;
  return mapParts(expr, (part) => {
    // Bodies of macros come after the range, and are not among the parts.
    const made = parts[next++] ?? part;
    return part.kind === "optional" ? { ...part, value: made } : made;
  });
}
