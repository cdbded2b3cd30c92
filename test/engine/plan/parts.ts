/** Short forms for parts of plans. */

import {
  NO_SCHEMAS,
  type Plan,
  type PlannedRole,
  type PlannedRule,
  type PlanRow,
  type PlanStep,
} from "../../../src/engine/plan/plan.js";
import { type Condition, NO_DEFINITIONS } from "../../../src/policy/model.js";

export const AT = { file: "plan.yaml", line: 1, column: 1 };

/** A condition; its content does not matter here. */
export const SOME: Condition = { kind: "any", of: [] };

export function rule(name: string, changes: Partial<PlannedRule> = {}): PlannedRule {
  const policy = changes.policy ?? "resource.doc.vdefault";
  const place = { reason: name, rule: name, policy };
  return {
    kind: "resource",
    policy,
    name,
    order: 0,
    effect: "allow",
    condition: undefined,
    definitions: NO_DEFINITIONS,
    at: AT,
    whenActivated: undefined,
    whenNotMet: undefined,
    reason: { kind: "rule", ...place },
    errorReason: { kind: "error", ...place },
    ...changes,
  };
}

export function role(name: string, changes: Partial<PlannedRole> = {}): PlannedRole {
  return { name, policy: "resource.doc.vdefault", condition: SOME, definitions: NO_DEFINITIONS, at: AT, ...changes };
}

export function row(rowRule: PlannedRule, guard?: PlannedRole): PlanRow {
  return { role: "user", rule: rowRule, guard };
}

export function step(rows: readonly PlanRow[], changes: Partial<PlanStep> = {}): PlanStep {
  return { scope: "", depth: 0, rows, asksParents: false, derivedRoles: [], ...changes };
}

/** A plan for roles, each given by its steps. */
export function planOf(roles: readonly (readonly PlanStep[])[], changes: Partial<Plan> = {}): Plan {
  const personal = changes.personal ?? [];
  const steps = [...personal, ...roles.flat()];
  return {
    isKnown: true,
    refusal: undefined,
    personal,
    roles: roles.map((own, i) => ({ role: `role_${i}`, includes: [], steps: own })),
    rules: [...new Set(steps.flatMap(({ rows }) => rows.map((one) => one.rule)))],
    personalPolicy: "principal.u1.vdefault",
    policy: "resource.doc.vdefault/acme",
    schemas: NO_SCHEMAS,
    ...changes,
  };
}
