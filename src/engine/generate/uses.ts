/** How often conditions read each variable, directly or through other variables. */

import { children, type Expr } from "../../cel/ast.js";
import { nameOf } from "../../cel/expression-usage.js";
import type { Definitions } from "../../policy/model.js";

/** The definition of a variable counts once, even if the variable is read several times. */
export function usesOf(expressions: readonly Expr[], { variables }: Definitions): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const walk = (expr: Expr): void => {
    const name = nameOf(expr, "variable");
    if (name === undefined) {
      for (const child of children(expr)) walk(child);
      return;
    }
    const before = uses.get(name) ?? 0;
    uses.set(name, before + 1);
    const definition = before === 0 ? variables.get(name) : undefined;
    if (definition !== undefined) walk(definition.expr);
  };
  for (const expr of expressions) walk(expr);
  return uses;
}
