/**
 * Observers of evaluations. Conditions are compiled with an observer or without. Without one, nothing is tested at run
 * time.
 */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile } from "../../cel/compile.js";
import type { EvaluationResult } from "../../cel/evaluation.js";
import { junctionTreesIn, type OperandValue, operandsIn } from "../../cel/operand-tree.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Conditional } from "../plan/plan.js";

export interface Observer {
  /**
   * An expression of a condition, a variable or an output was evaluated. An `undefined` value is an error, and `fault`
   * is its message.
   */
  evaluated?(expression: Expression, value: EvaluationResult, fault: string): void;
  /**
   * A part of an expression was evaluated. Expressions of one text share their trees, so the part alone does not
   * identify the expression.
   */
  watched?(expression: Expression, part: Expr, value: EvaluationResult, fault: string): void;
  /** A node of a `condition.match` holds, does not hold, or errs (undefined). */
  concluded?(condition: Condition, holds: boolean | undefined): void;
  /** A rule or a derived role holds, does not hold, or errs (undefined). */
  considered?(what: Conditional, holds: boolean | undefined): void;
  /**
   * The operands of a condition (`conditionOperands`), after it was evaluated. The evaluation may have passed over some
   * of them.
   */
  probedCondition?(condition: Condition, values: readonly OperandValue[]): void;
  /**
   * The operands of a tree of `&&`, `||` and `!` in an expression, after it was evaluated. `root`: its outermost node.
   * The tree of a whole condition belongs to {@link probedCondition} alone.
   */
  probedJunction?(expression: Expression, root: Expr, values: readonly OperandValue[]): void;
}

export interface ObservedEnv extends CompileEnv {
  /** The same without an observer, for operands. Undefined if the observer does not ask for them. */
  readonly unobserved?: CompileEnv;
}

/** True if the observer asks for operands. */
export function isProbing(observer: Observer | undefined): boolean {
  return observer?.probedCondition !== undefined || observer?.probedJunction !== undefined;
}

/**
 * Compiles an expression. Its code tells `observer` the value of each evaluation. `use`: "leaf" for a leaf of a
 * condition.
 */
export function compileObserved(
  expression: Expression,
  env: ObservedEnv,
  observer: Observer | undefined,
  use?: "leaf",
): Code {
  const watched = watchedEnv(expression, env, observer);
  const code = compile(expression.expr, probingEnv(expression, watched, observer, use));
  if (observer?.evaluated === undefined) return code;
  return (ev) => {
    const value = code(ev);
    observer.evaluated?.(expression, value, ev.fault);
    return value;
  };
}

function watchedEnv(expression: Expression, env: ObservedEnv, observer: Observer | undefined): ObservedEnv {
  if (observer?.watched === undefined) return env;
  return { ...env, watch: (part, value, fault) => observer.watched?.(expression, part, value, fault) };
}

function probingEnv(
  expression: Expression,
  env: ObservedEnv,
  observer: Observer | undefined,
  use: "leaf" | undefined,
): CompileEnv {
  const { unobserved } = env;
  if (observer?.probedJunction === undefined || unobserved === undefined) return env;
  const trees = junctionTreesIn(expression.expr);
  const operands = new Map([...trees].map(([root, tree]) => [root, operandsIn(tree)]));
  if (use === "leaf") operands.delete(expression.expr);
  if (operands.size === 0) return env;
  const probe = {
    operandsOf: (root: Expr) => operands.get(root),
    variables: unobserved.variables,
    probed: (root: Expr, values: readonly OperandValue[]) => observer.probedJunction?.(expression, root, values),
  };
  return { ...env, probe };
}
