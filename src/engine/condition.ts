/** `condition.match` to code. */

import { type Code, type CompileEnv, compile } from "../cel/compile.js";
import type { Condition, Expression } from "../policy/model.js";
import type { Activation } from "./activation.js";

/**
 * A compiled condition: `undefined` is an error, with `failed`, `fault` and `faultAt` of the activation set.
 * Members are evaluated in the order they are written, and no further than needed; one that errs ends it.
 * (The server takes an error for `false`, so that `none` over an error holds: reference §2.11. Here it is an error.)
 */
export type Check = (activation: Activation) => boolean | undefined;

export function compileCondition(condition: Condition, env: CompileEnv): Check {
  return compileMatch(condition, env, true);
}

/** `wanted: false` turns the condition's answer round. */
function compileMatch(condition: Condition, env: CompileEnv, wanted: boolean): Check {
  if (condition.kind === "expr") return leaf(condition.expr, compile(condition.expr.expr, env), wanted);
  const [only] = condition.of;
  if (only !== undefined && condition.of.length === 1) {
    return compileMatch(only, env, condition.kind === "none" ? !wanted : wanted);
  }
  const checks = condition.of.map((member) => compileMatch(member, env, true));
  const stop = condition.kind !== "all";
  return sequence(checks, stop, (condition.kind === "any") === wanted);
}

function leaf(expression: Expression, code: Code, wanted: boolean): Check {
  return (activation) => {
    const value = code(activation);
    if (value === true) return wanted;
    if (value === false) return !wanted;
    activation.failed = expression;
    if (value !== undefined) {
      activation.fault = "the condition's value is not a boolean";
      activation.faultAt = 0;
    }
    return undefined;
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
