/** Substitutes expressions for the variables that macros bind. */

import type { Expr } from "../../cel/ast.js";

/** `expr` with `value` substituted for the free name `name`. */
export function substitute(expr: Expr, name: string, value: Expr): Expr {
  const inside = (part: Expr): Expr => substitute(part, name, value);
  switch (expr.kind) {
    case "literal":
      return expr;
    case "ident":
      return expr.name === name ? value : expr;
    case "select":
    case "has":
      return { ...expr, operand: inside(expr.operand) };
    case "optional":
      return { ...expr, value: inside(expr.value) };
    case "call":
      return { ...expr, args: expr.args.map(inside) };
    case "member":
      return { ...expr, target: inside(expr.target), args: expr.args.map(inside) };
    case "list":
      return { ...expr, elements: expr.elements.map(inside) };
    case "map":
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({ key: inside(entry.key), value: inside(entry.value) })),
      };
    case "macro": {
      const range = inside(expr.range);
      if (expr.v1 === name || expr.v2 === name) return { ...expr, range };
      const [filter, transform] = [expr.filter, expr.transform].map((part) =>
        part === undefined ? part : inside(part),
      );
      return { ...expr, range, filter, transform };
    }
    case "bind": {
      const init = inside(expr.init);
      return expr.name === name ? { ...expr, init } : { ...expr, init, body: inside(expr.body) };
    }
  }
}
