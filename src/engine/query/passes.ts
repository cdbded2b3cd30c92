/** The passes of a macro over a list or a map that is known. */

import type { Expr, Ident, Macro } from "../../cel/ast.js";
import { keysOf, lookup } from "../../cel/equality.js";
import type { SlotValue } from "../../cel/evaluation.js";
import { type CelValue, isList, isMap } from "../../cel/values.js";
import { mapped } from "../residual/mapped.js";

/** What macros and `cel.bind` bind: a value, `ERRED` for what errs, or undefined where it is not known. */
export type Locals = ReadonlyMap<string, SlotValue>;

export const NO_LOCALS: Locals = new Map();

/** What the variables of a macro are in one pass. With two, the first is an index or a key. */
export interface Pass {
  readonly element: CelValue;
  readonly index: CelValue;
  readonly value: CelValue;
}

/** Undefined: of anything else there are none. */
export function passesOver(range: CelValue): readonly Pass[] | undefined {
  if (isList(range)) return range.map((element, i) => ({ element, index: BigInt(i), value: element }));
  if (!isMap(range)) return undefined;
  return keysOf(range).map((key) => ({ element: key, index: key, value: lookup(range, key) ?? null }));
}

/** What is bound in a pass. */
export function within({ v1, v2 }: Macro, { element, index, value }: Pass, locals: Locals): Locals {
  const inner = new Map(locals);
  if (v2 === undefined) return inner.set(v1, element);
  return inner.set(v1, index).set(v2, value);
}

/** With what `stand` gives in place of each name that is not bound in the expression, nor `bound` around it. */
export function replaced(expr: Expr, stand: (name: Ident) => Expr, bound: readonly string[] = []): Expr {
  if (expr.kind === "ident") return expr.of === "local" && bound.includes(expr.name) ? expr : stand(expr);
  if (expr.kind !== "macro" && expr.kind !== "bind") return mapped(expr, (part) => replaced(part, stand, bound));
  const outer = expr.kind === "macro" ? expr.range : expr.init;
  const inner = [...bound, ...(expr.kind === "macro" ? [expr.v1, expr.v2 ?? expr.v1] : [expr.name])];
  return mapped(expr, (part) => replaced(part, stand, part === outer ? bound : inner));
}
