/** Numbers the outputs of a plan. Generated functions return the values in this order. */

import type { Expression } from "../../policy/model.js";
import type { Plan, PlannedRule } from "../plan/plan.js";

export interface PlannedOutput {
  readonly rule: PlannedRule;
  /** Whether the output is reported where the condition of the rule holds, or where it does not. */
  readonly ifHolds: boolean;
  readonly expression: Expression;
}

/** Every output that a walk of the plan can report. */
export function outputsOf({ rules }: Plan): readonly PlannedOutput[] {
  return rules.flatMap((rule): readonly PlannedOutput[] => {
    const { whenActivated, whenNotMet, condition } = rule;
    const met = whenActivated === undefined ? [] : [{ rule, ifHolds: true, expression: whenActivated }];
    if (whenNotMet === undefined || condition === undefined) return met;
    return [...met, { rule, ifHolds: false, expression: whenNotMet }];
  });
}

/** Whether an output is the same for every request. */
export function isLiteral({ expression }: PlannedOutput): boolean {
  return expression.expr.kind === "literal";
}
