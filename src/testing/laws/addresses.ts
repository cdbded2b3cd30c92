/** Finds addresses (places in the request) in expressions, and builds expressions that read them. */

import type { Expr } from "../../cel/ast.js";
import { chainOf, usageOf } from "../../cel/expression-usage.js";
import { OPERATORS } from "../../cel/operators.js";
import type { CelValue } from "../../cel/values.js";
import { type SpaceLayer, valuePlaceOf } from "../../space/dimension.js";
import type { RequestValueAddress } from "./draft.js";

/** The address that `expr` reads: `R.attr.tags`, `R.id`, `R.attr.tags[0]`. Undefined for any other expression. */
export function addressOf(expr: Expr, layer: SpaceLayer): RequestValueAddress | undefined {
  if (chainOf(expr) !== undefined) {
    const [read] = usageOf(expr).reads;
    return read && valuePlaceOf(layer, read);
  }
  if (expr.kind === "select") {
    const operand = addressOf(expr.operand, layer);
    return operand && { ...operand, path: [...operand.path, expr.field] };
  }
  if (expr.kind !== "call" || OPERATORS.get(expr.fn)?.kind !== "index") return undefined;
  const [list, index] = expr.args;
  if (list === undefined || index?.kind !== "literal" || typeof index.value !== "bigint") return undefined;
  const operand = addressOf(list, layer);
  return operand && { ...operand, path: [...operand.path, Number(index.value)] };
}

export function literal(value: CelValue): Expr {
  return { kind: "literal", at: 0, value };
}

/** The expression `list[i]`. */
export function element(list: Expr, i: number): Expr {
  const args = [list, literal(BigInt(i))];
  return { kind: "call", at: 0, fn: "_[_]", args, overload: undefined };
}
