/** Compiles `condition.match` to code. */

import { type Code, compile, operandValues } from "../../cel/compile.js";
import { failAt, isExhausted } from "../../cel/evaluation.js";
import { operandsIn } from "../../cel/operand-tree.js";
import { conditionTree } from "../../policy/condition-operands.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Activation } from "./activation.js";
import { compileObserved, type ObservedEnv, type Observer } from "./observer.js";

/**
 * A compiled condition. `undefined` is an error, which `failed` of the activation describes. Members are evaluated in
 * their order, short-circuiting. A member that errs ends the evaluation.
 */
export type ConditionCode = (activation: Activation) => boolean | undefined;

/**
 * How conditions treat errors. Each mode records errors. The end of the step budget is an error in each.
 *
 * - `strict`: an expression that errs, or has a non-boolean value, makes its condition err.
 * - `lenient`: such an expression counts as false by itself, so that `none` over it holds (docs/cerbos-semantics.md
 *   §2.11). An expression that always fails (its `doom`) makes the condition err.
 * - `server-strict`: an expression that errs makes the condition err; a non-boolean value counts as false.
 */
export type Mode = "strict" | "lenient" | "server-strict";

/** The condition of a rule or a derived role. Its code tells `observer` the values of all operands, too. */
export function compileWhole(
  condition: Condition,
  env: ObservedEnv,
  mode: Mode,
  observer: Observer | undefined,
): ConditionCode {
  const check = compileCondition(condition, env, mode, observer);
  const { unobserved } = env;
  if (observer?.probedCondition === undefined || unobserved === undefined) return check;
  const operands = operandsIn(conditionTree(condition));
  if (operands.length < 2) return check;
  const codes = operands.map(({ expr }) => compile(expr, unobserved));
  return (activation) => {
    const holds = check(activation);
    observer.probedCondition?.(condition, operandValues(codes, activation));
    return holds;
  };
}

/** `wanted: false` negates the condition. */
export function compileCondition(
  condition: Condition,
  env: ObservedEnv,
  mode: Mode,
  observer: Observer | undefined,
  wanted = true,
): ConditionCode {
  const check = compileNode(condition, env, mode, observer, wanted);
  if (observer?.concluded === undefined) return check;
  return (activation) => {
    const value = check(activation);
    observer.concluded?.(condition, value === undefined || wanted ? value : !value);
    return value;
  };
}

function compileNode(
  condition: Condition,
  env: ObservedEnv,
  mode: Mode,
  observer: Observer | undefined,
  wanted: boolean,
): ConditionCode {
  if (condition.kind === "expr") {
    return leaf(condition.expr, compileObserved(condition.expr, env, observer, "leaf"), wanted, mode);
  }
  const [only] = condition.of;
  if (only !== undefined && condition.of.length === 1) {
    return compileCondition(only, env, mode, observer, condition.kind === "none" ? !wanted : wanted);
  }
  const checks = condition.of.map((member) => compileCondition(member, env, mode, observer));
  const stop = condition.kind !== "all";
  return sequence(checks, stop, (condition.kind === "any") === wanted);
}

function leaf(expression: Expression, code: Code, wanted: boolean, mode: Mode): ConditionCode {
  const isPlanned = expression.expr.doom === undefined;
  const whereErring = mode === "lenient" && isPlanned ? !wanted : undefined;
  const whereOther = mode === "strict" ? undefined : !wanted;
  return (activation) => {
    const value = code(activation);
    // For any value, by the invariant "the end of the budget is the end".
    if (isExhausted(activation)) {
      activation.fails(expression);
      return undefined;
    }
    if (value === true) return wanted;
    if (value === false) return !wanted;
    if (value !== undefined) failAt(activation, "the condition's value is not a boolean", 0);
    activation.fails(expression);
    return value === undefined ? whereErring : whereOther;
  };
}

/** Evaluates members until one of them is `stop`. Then the result is `found`, otherwise its opposite. */
function sequence(checks: readonly ConditionCode[], stop: boolean, found: boolean): ConditionCode {
  return (activation) => {
    for (const check of checks) {
      const value = check(activation);
      if (value === undefined) return undefined;
      if (value === stop) return found;
    }
    return !found;
  };
}
