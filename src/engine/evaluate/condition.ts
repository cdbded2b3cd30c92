/** `condition.match` to code. */

import type { Code, CompileEnv } from "../../cel/compile.js";
import { isExhausted } from "../../cel/evaluation.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Activation } from "./activation.js";
import { compileObserved, type Observer } from "./observer.js";

/**
 * A compiled condition: `undefined` is an error, with `failed`, `fault` and `faultAt` of the activation set.
 * Members are evaluated in the order they are written, and no further than needed; one that errs ends it.
 */
export type Check = (activation: Activation) => boolean | undefined;

/**
 * What an expression that errs makes of its condition: an error, or, as the server has it (docs/cerbos-semantics.md §2.11), `false`
 * for that expression alone, so that `none` over an error holds. What erred is noted in both cases. The end of the step
 * budget is an error in either.
 */
export type OnError = "error" | "false";

/** `wanted: false` turns the condition's answer round. */
export function compileCondition(
  condition: Condition,
  env: CompileEnv,
  onError: OnError,
  observer: Observer | undefined,
  wanted = true,
): Check {
  const check = compileNode(condition, env, onError, observer, wanted);
  if (observer?.concluded === undefined) return check;
  return (activation) => {
    const value = check(activation);
    observer.concluded?.(condition, value === undefined || wanted ? value : !value);
    return value;
  };
}

function compileNode(
  condition: Condition,
  env: CompileEnv,
  onError: OnError,
  observer: Observer | undefined,
  wanted: boolean,
): Check {
  if (condition.kind === "expr") {
    const fallback = onError === "error" ? undefined : !wanted;
    return leaf(condition.expr, compileObserved(condition.expr, env, observer), wanted, fallback);
  }
  const [only] = condition.of;
  if (only !== undefined && condition.of.length === 1) {
    return compileCondition(only, env, onError, observer, condition.kind === "none" ? !wanted : wanted);
  }
  const checks = condition.of.map((member) => compileCondition(member, env, onError, observer));
  const stop = condition.kind !== "all";
  return sequence(checks, stop, (condition.kind === "any") === wanted);
}

function leaf(expression: Expression, code: Code, wanted: boolean, fallback: boolean | undefined): Check {
  return (activation) => {
    const value = code(activation);
    // Whatever the value is: the invariant "the end of the budget is the end".
    if (isExhausted(activation)) {
      activation.failed = expression;
      return undefined;
    }
    if (value === true) return wanted;
    if (value === false) return !wanted;
    activation.failed = expression;
    if (value !== undefined) {
      activation.fault = "the condition's value is not a boolean";
      activation.faultAt = 0;
    }
    return fallback;
  };
}

/** Evaluates until a member is `stop`; the result is `found` then, and its opposite if none is. */
function sequence(checks: readonly Check[], stop: boolean, found: boolean): Check {
  return (activation) => {
    for (const check of checks) {
      const value = check(activation);
      if (value === undefined) return undefined;
      if (value === stop) return found;
    }
    return !found;
  };
}
