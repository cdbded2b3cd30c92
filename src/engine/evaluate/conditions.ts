/** Numbers the conditions of a plan. Sets of conditions are written in these numbers. */

import type { Conditional, Plan, PlannedRole, PlannedRule, PlanStep } from "../plan/plan.js";

/** A condition, with a step that it is evaluated for. Any of its steps will do, by the invariant "one scope a rule". */
export interface PlannedCondition {
  readonly what: PlannedRule | PlannedRole;
  readonly step: PlanStep;
}

/**
 * Every condition that a walk of the plan can reach, once. A rule or a derived role without a condition always holds,
 * and is left out. No condition may be missing: the invariant "a set says all" rests on it.
 */
export function conditionsOf({ personal, roles }: Plan): readonly PlannedCondition[] {
  const found = new Map<Conditional, PlannedCondition>();
  for (const step of [...personal, ...roles.flatMap(({ steps }) => steps)]) {
    for (const { rule, guard } of step.rows) {
      for (const what of guard === undefined ? [rule] : [guard, rule]) {
        if (what.condition !== undefined && !found.has(what)) found.set(what, { what, step });
      }
    }
  }
  return [...found.values()];
}
