/** Substitutes expressions for the variables that macros bind. */

import type { Expr } from "../../cel/ast.js";
import { mapParts } from "./map-parts.js";

/** `expr` with `value` substituted for the free name `name`. */
export function substitute(expr: Expr, name: string, value: Expr): Expr {
  const inside = (part: Expr): Expr => substitute(part, name, value);
  if (expr.kind === "ident") return expr.name === name ? value : expr;
  // A new binding of the name shadows the old one.
  if (expr.kind === "macro" && (expr.v1 === name || expr.v2 === name)) return { ...expr, range: inside(expr.range) };
  if (expr.kind === "bind" && expr.name === name) return { ...expr, init: inside(expr.init) };
  return mapParts(expr, inside);
}
