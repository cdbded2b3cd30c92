/** What failed in an evaluation, as the verdict reports it. */

import { positionText } from "../policy/issue.js";
import type { Expression } from "../policy/model.js";
import type { Activation } from "./activation.js";
import type { Plan, PlannedRule } from "./plan.js";
import type { EvaluationError } from "./verdict.js";

/** A rule whose condition, or derived role, was reached and erred. */
export interface Failure {
  readonly rule: PlannedRule;
  /** The expression that erred. */
  readonly leaf: Expression;
  readonly error: EvaluationError;
}

/** The activation's latest fault as an error of `rule`, in `expression`. */
export function errorOf(
  plan: Plan,
  rule: PlannedRule,
  expression: Expression,
  activation: Activation,
): EvaluationError {
  return {
    policy: plan.policy,
    rule: rule.source.name,
    expression: expression.source,
    message: activation.fault,
    position: positionText(expression.position(Math.max(activation.faultAt, 0))),
  };
}

/**
 * Notes that `rule` failed, with the leaf of a condition that failed most recently. A rule can fail for several
 * reasons (the derived roles that it lists), each of which is noted once.
 */
export function noteFailure(plan: Plan, rule: PlannedRule, activation: Activation): void {
  const { failed, failures } = activation;
  if (failed === undefined || failures.some((known) => known.rule === rule && known.leaf === failed)) return;
  failures.push({ rule, leaf: failed, error: errorOf(plan, rule, failed, activation) });
}
