/**
 * The possible verdicts of an action for a principal with one role: the engine's walk, with conditions that may hold or
 * not. Principal policies are left out: they are for principals, not for roles.
 */

import { makePlan } from "../../engine/plan/make-plan.js";
import { ANY_ROLE, type PlanRow, type PlanStep } from "../../engine/plan/plan.js";
import type { PolicyIndex } from "../../engine/plan/policy-index.js";
import { scopeChain } from "../../engine/plan/scopes.js";
import { rulingOf } from "../../engine/plan/walk.js";
import type { AllowChance } from "./types.js";

export interface ReachableVerdict {
  readonly chance: AllowChance;
  /** Does an allowing rule name the role, or a role that it includes? */
  readonly namesRole: boolean;
}

export interface Where {
  readonly version: string;
  readonly scope: string;
  /** The kind, sanitised. */
  readonly kind: string;
}

export function possible(index: PolicyIndex, where: Where, role: string, action: string): ReachableVerdict {
  const { version, scope, kind } = where;
  const resourceChain = scopeChain(index.resourceScopes, scope, false);
  const place = { version, principalVersion: version, resourceScope: scope, principalChain: [], resourceChain };
  const [{ steps } = { steps: [] }] = makePlan(index, place, { kind, action, principalId: "", roles: [role] }).roles;
  const ruling = (examine: (row: PlanRow) => boolean | undefined) => rulingOf(steps, { examine }, true);
  // At best, an uncertain row allows and does not deny. With complete data it denies at worst. Otherwise it errs at
  // worst, which denies.
  const atBest = ruling((row) => isCertain(row) || row.rule.effect === "allow");
  const complete = ruling((row) => isCertain(row) || row.rule.effect === "deny");
  const atWorst = ruling((row) => (isCertain(row) ? true : undefined));
  if (atBest?.effect !== "allow") return { chance: "never", namesRole: false };
  const last = ruling(isCertain)?.step ?? steps.at(-1);
  const chance =
    atWorst?.effect === "allow" ? "always" : complete?.effect === "allow" ? "unless_missing" : "conditional";
  return { chance, namesRole: steps.some((step) => step.depth <= (last?.depth ?? 0) && allowsByName(step)) };
}

/** Does a row hold for every request? */
function isCertain({ rule, guard }: PlanRow): boolean {
  return rule.condition === undefined && guard?.condition === undefined;
}

/** Whether a rule that names a role, and not every role, may allow at a step. */
function allowsByName({ rows, asksParents }: PlanStep): boolean {
  return !asksParents && rows.some(({ role, rule }) => rule.effect === "allow" && role !== ANY_ROLE);
}
