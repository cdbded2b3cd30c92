import type { Expr } from "../../cel/ast.js";

/** The node with other parts, or the node itself if all parts are unchanged. */
export function mapParts(expr: Expr, part: (expr: Expr) => Expr): Expr {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return expr;
    case "select":
    case "has": {
      const operand = part(expr.operand);
      return operand === expr.operand ? expr : { ...expr, operand };
    }
    case "optional": {
      const value = part(expr.value);
      return value === expr.value ? expr : { ...expr, value };
    }
    case "call": {
      const args = all(expr.args, part);
      return args === expr.args ? expr : { ...expr, args };
    }
    case "member": {
      const [target, args] = [part(expr.target), all(expr.args, part)];
      return target === expr.target && args === expr.args ? expr : { ...expr, target, args };
    }
    case "list": {
      const elements = all(expr.elements, part);
      return elements === expr.elements ? expr : { ...expr, elements };
    }
    case "map": {
      const entries = expr.entries.map(({ key, value }) => ({ key: part(key), value: part(value) }));
      const isSame = entries.every(
        ({ key, value }, i) => key === expr.entries[i]?.key && value === expr.entries[i]?.value,
      );
      return isSame ? expr : { ...expr, entries };
    }
    case "macro": {
      const [range, filter, transform] = [
        part(expr.range),
        expr.filter && part(expr.filter),
        expr.transform && part(expr.transform),
      ];
      const isSame = range === expr.range && filter === expr.filter && transform === expr.transform;
      return isSame ? expr : { ...expr, range, filter, transform };
    }
    case "bind": {
      const [init, body] = [part(expr.init), part(expr.body)];
      return init === expr.init && body === expr.body ? expr : { ...expr, init, body };
    }
  }
}

function all(exprs: readonly Expr[], part: (expr: Expr) => Expr): readonly Expr[] {
  const made = exprs.map(part);
  return made.every((one, i) => one === exprs[i]) ? exprs : made;
}
