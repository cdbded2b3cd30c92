/**
 * Plans: what a question comes to before any attribute is read, as data.
 *
 * A question is a version of policies, the scopes of principal and resource, a kind, an action, the principal's roles,
 * and its id where a principal policy is for it. Its plan is what there is to examine, in the order in which it counts;
 * `walk.ts` says what follows from what is found.
 */

import type { Position } from "../../policy/issue.js";
import type { Condition, Definitions, Effect, Expression } from "../../policy/model.js";
import type { Reason } from "./verdict.js";

/** Something with a condition: a rule, or a derived role that a rule lists. */
export interface Conditional {
  /** It holds if this does; undefined: always. */
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  readonly at: Position;
}

/**
 * A rule, as it takes part in plans.
 *
 * INVARIANT (one scope a rule): a rule, and a derived role as one policy uses it, stands in steps of one scope only,
 * since a policy has one scope. The steps of a scope, one for each role of the principal, have the same active derived
 * roles. So what a condition comes to does not depend on which of its steps asks, and is found out once.
 *
 * A rule that takes away where its condition does not hold stands here as a DENY rule of the opposite condition: an
 * ALLOW rule of a scope that requires its parents' consent, and each rule of a role policy. A role policy that does not
 * list an action denies it by a rule without a condition.
 */
export interface PlannedRule extends Conditional {
  readonly kind: "resource" | "principal" | "role";
  /** The policy's key: `resource.doc.vdefault/acme`. */
  readonly policy: string;
  /** `""` in role policies. */
  readonly name: string;
  /** Which rule of its policy it is. */
  readonly order: number;
  readonly effect: Effect;
  readonly whenActivated: Expression | undefined;
  readonly whenNotMet: Expression | undefined;
  /** What it gives as its reason when it decides, and when it errs. */
  readonly reason: Reason;
  readonly errorReason: Reason;
}

/** A derived role of one policy. */
export interface PlannedRole extends Conditional {
  readonly name: string;
  /** The key of the policy that it is used in. */
  readonly policy: string;
}

/** In place of a role's name: every role. */
export const ANY_ROLE = "*";

/** A rule that applies to a role: directly, or if a derived role is active. */
export interface Row {
  /** The role by whose name it does: the principal's, or one that it includes; {@link ANY_ROLE} if it is for all. */
  readonly role: string;
  readonly rule: PlannedRule;
  readonly guard: PlannedRole | undefined;
}

/** What there is to examine at one scope. */
export interface Step {
  readonly scope: string;
  /** Its place in the chain of scopes: 0 is the most specific one. */
  readonly depth: number;
  /** In the order in which the server looks at them. A rule whose actions match by several entries is there as often. */
  readonly rows: readonly Row[];
  /** An ALLOW here leaves the decision to the scopes above. */
  readonly asksParents: boolean;
  /**
   * The derived roles of the scope's policy, of which the principal has a parent role: those whose conditions hold are
   * what expressions read as `runtime.effectiveDerivedRoles`.
   */
  readonly derivedRoles: readonly PlannedRole[];
}

/** References to the schemas that attributes should satisfy (`cerbos:///key.json`). */
export interface AttributeSchemas {
  readonly principal: string | undefined;
  readonly resource: string | undefined;
}

export const NO_SCHEMAS: AttributeSchemas = Object.freeze({ principal: undefined, resource: undefined });

export interface Plan {
  /** Whether there is a policy about the question at all. */
  readonly isKnown: boolean;
  /** The principal's own policies: their ruling is final. */
  readonly personal: readonly Step[];
  /** For each of the principal's roles, in the order of the question. */
  readonly roles: readonly RoleSteps[];
  /** Every rule of the rows, once: personal ones first, then scope by scope, those of role policies first in each. */
  readonly rules: readonly PlannedRule[];
  /** The policies as the server names them, where personal rules decide and where rules for roles do. */
  readonly personalPolicy: string;
  readonly policy: string;
  readonly schemas: AttributeSchemas;
}

export interface RoleSteps {
  readonly role: string;
  /** The roles that it includes by role policies, nearest first. */
  readonly includes: readonly string[];
  readonly steps: readonly Step[];
}

/** What the server calls the policy where there is none. */
export const NO_MATCH = "NO_MATCH";
