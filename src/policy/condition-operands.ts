/** The operands of conditions: of `all`, `any`, `none`, and of `&&`, `||` and `!` in their expressions. */

import type { Expr } from "../cel/ast.js";
import { mapOperands, type OperandTree, operandTree } from "../cel/operand-tree.js";
import type { Condition, Expression } from "./model.js";

export interface ConditionOperand {
  readonly expression: Expression;
  /** The expression or a part of it. */
  readonly expr: Expr;
}

export function conditionTree(condition: Condition): OperandTree<ConditionOperand> {
  switch (condition.kind) {
    case "expr":
      return leafTree(condition.expr);
    case "all":
      return { kind: "junction", decisive: false, of: condition.of.map(conditionTree) };
    case "any":
      return { kind: "junction", decisive: true, of: condition.of.map(conditionTree) };
    case "none":
      return { kind: "not", of: { kind: "junction", decisive: true, of: condition.of.map(conditionTree) } };
  }
}

/** An expression that always errs on the server is one operand. */
function leafTree(expression: Expression): OperandTree<ConditionOperand> {
  const { expr } = expression;
  if (expr.doom !== undefined) return { kind: "operand", operand: { expression, expr } };
  return mapOperands(operandTree(expr), (operand) => ({ expression, expr: operand }));
}
