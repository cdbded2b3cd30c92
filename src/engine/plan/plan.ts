/**
 * A plan is the compiled rules for one question, as data, before any attribute is read.
 *
 * A question has a version of policies, the scopes of principal and resource, a kind, an action and the principal's
 * roles. It has the principal's id if a principal policy is for it. The plan lists the rules to examine, in the order
 * in which they count. `walk.ts` combines the results.
 */

import type { SourcePosition } from "../../policy/issue.js";
import type { Condition, Definitions, Expression, PolicyEffect } from "../../policy/model.js";
import type { Reason } from "./verdict.js";

/** A rule, or a derived role that a rule lists. */
export interface Conditional {
  /** Undefined: it always holds. */
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  readonly at: SourcePosition;
}

/**
 * A rule, as it takes part in plans.
 *
 * INVARIANT (one scope a rule): a rule, and a derived role as one policy uses it, stands in steps of one scope only,
 * since a policy has one scope. The steps of a scope, one for each role of the principal, have the same active derived
 * roles. So the value of a condition does not depend on the step, and each condition is evaluated once.
 *
 * Two sorts of rules deny where their condition does not hold: an ALLOW rule of a scope that requires its parents'
 * consent, and each rule of a role policy. Both are planned as DENY rules of the opposite condition. A role policy that
 * does not list an action denies it by a rule without a condition.
 */
export interface PlannedRule extends Conditional {
  readonly kind: "resource" | "principal" | "role";
  /** The policy's key: `resource.doc.vdefault/acme`. */
  readonly policy: string;
  /** `""` in role policies. */
  readonly name: string;
  /** Its index among the rules of its policy. */
  readonly order: number;
  readonly effect: PolicyEffect;
  readonly whenActivated: Expression | undefined;
  readonly whenNotMet: Expression | undefined;
  /** Its reason in a verdict where it decides, and where it errs. */
  readonly reason: Reason;
  readonly errorReason: Reason;
}

/** A derived role of one policy. */
export interface PlannedRole extends Conditional {
  readonly name: string;
  /** The key of the policy that uses it. */
  readonly policy: string;
}

/** Every role, in place of a role's name. */
export const ANY_ROLE = "*";

/** A rule that applies to a role: directly, or if a derived role is active. */
export interface PlanRow {
  /**
   * The role by which the rule applies: the principal's, or one that it includes; {@link ANY_ROLE} if the rule is for
   * all.
   */
  readonly role: string;
  readonly rule: PlannedRule;
  readonly guard: PlannedRole | undefined;
}

/** The rules to examine at one scope. */
export interface PlanStep {
  readonly scope: string;
  /** Its index in the chain of scopes: 0 is the most specific one. */
  readonly depth: number;
  /** In the server's order. A rule with several entries that match the action appears once for each entry. */
  readonly rows: readonly PlanRow[];
  /** An ALLOW here leaves the decision to the scopes above. */
  readonly asksParents: boolean;
  /**
   * The derived roles of the scope's policy for which the principal has a parent role. Expressions read the names of
   * those with true conditions as `runtime.effectiveDerivedRoles`.
   */
  readonly derivedRoles: readonly PlannedRole[];
}

/** References to the schemas that attributes should satisfy (`cerbos:///key.json`). */
export interface AttributeSchemaRefs {
  readonly principal: string | undefined;
  readonly resource: string | undefined;
}

export const NO_SCHEMAS: AttributeSchemaRefs = Object.freeze({ principal: undefined, resource: undefined });

export interface Plan {
  /** Whether any policy is about the question. */
  readonly isKnown: boolean;
  /** Why the rules were not found: the question has too many or too long names. The plan denies. Usually undefined. */
  readonly refusal: string | undefined;
  /** The steps of the principal's own policies: their ruling is final. */
  readonly personal: readonly PlanStep[];
  /** For each of the principal's roles, in the order of the question. */
  readonly roles: readonly RoleSteps[];
  /** Every rule of the rows, once: personal rules first, then scope by scope, those of role policies first in each. */
  readonly rules: readonly PlannedRule[];
  /**
   * The policies as the server names them: the first where personal rules decide, the second where rules for roles do.
   */
  readonly personalPolicy: string;
  readonly policy: string;
  readonly schemas: AttributeSchemaRefs;
}

export interface RoleSteps {
  readonly role: string;
  /** The roles that it includes by role policies, nearest first. */
  readonly includes: readonly string[];
  readonly steps: readonly PlanStep[];
}

/** The server's name for a missing policy. */
export const NO_MATCH = "NO_MATCH";

/** The plan of a question with too many or too long names. */
export function refusedPlan(refusal: string): Plan {
  return {
    isKnown: false,
    refusal,
    personal: [],
    roles: [],
    rules: [],
    personalPolicy: NO_MATCH,
    policy: NO_MATCH,
    schemas: NO_SCHEMAS,
  };
}
