/**
 * Results that the server's type checker determines before evaluation, where they change an answer (observed; cel-go's
 * `checker/checker.go` and `interpreter/planner.go`). Attributes are `dyn`, so this is rare.
 */

import type { Expr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";

export const TYPES: ReadonlySet<string> = new Set([
  ...["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"],
]);

/**
 * Does a variable of `cel.bind` stand for a type? The planner then looks for a type of that name, which does not exist,
 * and the whole expression fails. The only exception, an operand that a constant short-circuits, is not planned.
 */
export function bindsType(expr: Expr): boolean {
  const { exprKind: kind } = expr;
  if (kind.case === "callExpr" && isSettled(kind.value.function, kind.value.args)) return false;
  if (kind.case === "callExpr" && kind.value.function === "bind") {
    const value = kind.value.args[1]?.exprKind;
    if (value?.case === "identExpr" && TYPES.has(value.value.name)) return true;
    if (value?.case === "callExpr" && value.value.function === "type" && value.value.target === undefined) return true;
  }
  return parts(expr).some(bindsType);
}

function isSettled(fn: string, args: readonly Expr[]): boolean {
  if (fn !== "_||_" && fn !== "_&&_") return false;
  return args.some(({ exprKind: arg }) => {
    const constant = arg.case === "constExpr" ? arg.value.constantKind : undefined;
    return constant?.case === "boolValue" && constant.value === (fn === "_||_");
  });
}

function parts({ exprKind: kind }: Expr): readonly Expr[] {
  const all = (...exprs: readonly (Expr | undefined)[]) => exprs.filter((one) => one !== undefined);
  switch (kind.case) {
    case "selectExpr":
      return all(kind.value.operand);
    case "callExpr":
      return all(kind.value.target, ...kind.value.args);
    case "listExpr":
      return kind.value.elements;
    case "structExpr":
      return kind.value.entries.flatMap(({ keyKind, value }) =>
        all(keyKind.case === "mapKey" ? keyKind.value : undefined, value),
      );
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      return all(iterRange, accuInit, loopCondition, loopStep, result);
    }
    default:
      return [];
  }
}
