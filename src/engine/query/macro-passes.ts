/** The passes of a macro over a known list or map. */

import { boundBy, type Expr, type Ident, type Macro } from "../../cel/ast.js";
import { keysOf, lookup } from "../../cel/equality.js";
import type { SlotValue } from "../../cel/evaluation.js";
import { type CelValue, isList, isMap } from "../../cel/values.js";
import { mapParts } from "../residual/map-parts.js";

/** The names that macros and `cel.bind` bind: a value, `ERRED` for an error, or undefined for an unknown value. */
export type ServerLocals = ReadonlyMap<string, SlotValue>;

export const NO_LOCALS: ServerLocals = new Map();

/** The values of a macro's variables in one pass. With two variables, the first is an index or a key. */
export interface MacroPass {
  readonly element: CelValue;
  readonly index: CelValue;
  readonly value: CelValue;
}

/** Undefined for a value that is neither a list nor a map. */
export function passesOver(range: CelValue): readonly MacroPass[] | undefined {
  if (isList(range)) return range.map((element, i) => ({ element, index: BigInt(i), value: element }));
  if (!isMap(range)) return undefined;
  return keysOf(range).map((key) => ({ element: key, index: key, value: lookup(range, key) ?? null }));
}

/** The bindings in a pass. */
export function bindPass({ v1, v2 }: Macro, { element, index, value }: MacroPass, locals: ServerLocals): ServerLocals {
  const inner = new Map(locals);
  if (v2 === undefined) return inner.set(v1, element);
  return inner.set(v1, index).set(v2, value);
}

/** Replaces each name by the result of `stand`, except names bound in the expression and names in `bound`. */
export function replaceNames(expr: Expr, stand: (name: Ident) => Expr, bound: readonly string[] = []): Expr {
  if (expr.kind === "ident") return expr.of === "local" && bound.includes(expr.name) ? expr : stand(expr);
  if (expr.kind !== "macro" && expr.kind !== "bind") return mapParts(expr, (part) => replaceNames(part, stand, bound));
  const outer = expr.kind === "macro" ? expr.range : expr.init;
  const inner = [...bound, ...boundBy(expr)];
  return mapParts(expr, (part) => replaceNames(part, stand, part === outer ? bound : inner));
}
