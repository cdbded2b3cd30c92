/** The passes of a macro over a list or a map that is known. */

import type { Expr, Macro } from "../../cel/ast.js";
import { keysOf, lookup } from "../../cel/equality.js";
import { type CelValue, isList, isMap } from "../../cel/values.js";
import { mapped } from "../residual/mapped.js";
import { literal } from "../residual/residue.js";

/** What macros and `cel.bind` bind: a value, or undefined where it is not known. */
export type Locals = ReadonlyMap<string, CelValue | undefined>;

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

/** Names replaced by the values that they stand for. */
export function replaced(expr: Expr, locals: Locals): Expr {
  if (expr.kind === "ident" && expr.of === "local") {
    const value = locals.get(expr.name);
    return value === undefined ? expr : literal(value, expr.at);
  }
  if (expr.kind === "macro" || expr.kind === "bind") {
    const inner = new Map(locals);
    for (const name of expr.kind === "macro" ? [expr.v1, expr.v2] : [expr.name])
      if (name !== undefined) inner.delete(name);
    const outer = expr.kind === "macro" ? expr.range : expr.init;
    return mapped(expr, (part) => replaced(part, part === outer ? locals : inner));
  }
  return mapped(expr, (part) => replaced(part, locals));
}
