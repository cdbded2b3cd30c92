/** Rules and derived roles of policies as they take part in plans. */

import type {
  AnyPolicy,
  Condition,
  DerivedRole,
  PrincipalPolicy,
  PrincipalRule,
  ResourcePolicy,
  ResourceRule,
  RolePolicy,
  RolePolicyRule,
} from "../../policy/model.js";
import { actionMatchers, kindMatcher, type Matchers, matchers } from "./actions.js";
import { ANY_ROLE, type PlannedRole, type PlannedRule } from "./plan.js";
import { reasonOf } from "./reason.js";
import { actionFormOf } from "./targets.js";

/** A rule, with the actions, kinds and roles of the questions that it applies to. */
export interface IndexedPlanRule {
  readonly rule: PlannedRule;
  readonly source: ResourceRule | PrincipalRule | RolePolicyRule;
  readonly actions: Matchers;
  readonly isOfKind: (kind: string) => boolean;
  readonly roles: Matchers;
  readonly guards: readonly GuardingRole[];
}

/** A derived role, with its parent roles. */
export interface GuardingRole {
  readonly role: PlannedRole;
  /** Rules that list the derived role are for each role that matches one of these. */
  readonly parentRoles: Matchers;
  /**
   * The derived role is active for a principal that has one of these roles, as they are written, or if `*` is among
   * them.
   */
  readonly activeFor: ReadonlySet<string>;
}

/** The derived roles that some rule of a policy lists, by name. */
export function guardingRoles({ key, derivedRoles }: ResourcePolicy): ReadonlyMap<string, GuardingRole> {
  const guard = ({ name, condition, definitions, at, parentRoles }: DerivedRole): GuardingRole => ({
    role: { name, policy: key, condition, definitions, at },
    parentRoles: matchers(parentRoles),
    activeFor: new Set(parentRoles),
  });
  return new Map([...derivedRoles].map(([name, role]) => [name, guard(role)]));
}

/** The rules of a policy, in the order of the file. */
export function indexedRules(
  policy: AnyPolicy,
  derivedRoles: ReadonlyMap<string, GuardingRole>,
): readonly IndexedPlanRule[] {
  switch (policy.kind) {
    case "resource":
      return policy.rules.map((rule, order) => ({
        rule: plannedRule(policy, rule, order),
        source: rule,
        actions: matchers(rule.actions),
        isOfKind: anyKind,
        roles: matchers(rule.roles),
        guards: rule.derivedRoles.flatMap((name) => derivedRoles.get(name) ?? []),
      }));
    case "principal":
      return policy.rules.map((rule, order) => ({
        rule: plannedRule(policy, rule, order),
        source: rule,
        actions: matchers(rule.actions),
        isOfKind: kindMatcher(rule.resourceName),
        ...FOR_ALL,
      }));
    case "role":
      return policy.rules.map((rule, order) => ({
        rule: restriction(policy, rule, order),
        source: rule,
        actions: actionMatchers(rule.allowActions, actionFormOf(rule)),
        isOfKind: kindMatcher(rule.resourceName),
        ...FOR_ALL,
      }));
  }
}

const FOR_ALL = { roles: matchers([ANY_ROLE]), guards: [] } as const;

function anyKind(): boolean {
  return true;
}

function plannedRule(
  policy: ResourcePolicy | PrincipalPolicy,
  rule: ResourceRule | PrincipalRule,
  order: number,
): PlannedRule {
  const { name, condition, output, at } = rule;
  const place = { reason: reasonOf(rule), rule: name, policy: policy.key };
  const vetoes = isVeto(policy, rule);
  return {
    kind: policy.kind,
    policy: policy.key,
    name,
    order,
    effect: vetoes ? "deny" : rule.effect,
    condition: vetoes ? opposite(condition) : condition,
    definitions: policy.definitions,
    at,
    whenActivated: output?.ruleActivated,
    whenNotMet: output?.conditionNotMet,
    reason: Object.freeze({ kind: "rule", ...place }),
    errorReason: Object.freeze({ kind: "error", ...place }),
  };
}

/**
 * Whether an ALLOW rule denies where its condition does not hold. A scope that requires its parents' consent grants
 * nothing by itself (docs/cerbos-semantics.md §2.5).
 */
export function isVeto(
  { scopePermissions }: ResourcePolicy | PrincipalPolicy,
  { effect, condition }: ResourceRule | PrincipalRule,
): boolean {
  return scopePermissions === "require_parental_consent_for_allows" && effect === "allow" && condition !== undefined;
}

function opposite(condition: Condition | undefined): Condition | undefined {
  return condition === undefined ? undefined : { kind: "none", of: [condition] };
}

/**
 * The denial of a rule of a role policy: it denies its actions where its condition does not hold, so its two outputs
 * are swapped.
 */
function restriction(policy: RolePolicy, rule: RolePolicyRule, order: number): PlannedRule {
  const { name, condition, output, at } = rule;
  const refused = refusal(policy);
  return {
    ...refused,
    errorReason: Object.freeze({ ...refused.errorReason, reason: name, rule: name }),
    name,
    order,
    condition: opposite(condition) ?? NEVER,
    at,
    whenActivated: output?.conditionNotMet,
    whenNotMet: output?.ruleActivated,
  };
}

const NEVER: Condition = { kind: "any", of: [] };

/** The rule by which a role policy denies the actions that it does not list. */
export function refusal({ key, definitions, at }: RolePolicy): PlannedRule {
  const place = { reason: "", rule: "", policy: key };
  return {
    kind: "role",
    policy: key,
    name: "",
    order: 0,
    effect: "deny",
    condition: undefined,
    definitions,
    at,
    whenActivated: undefined,
    whenNotMet: undefined,
    reason: Object.freeze({ kind: "rule", ...place }),
    errorReason: Object.freeze({ kind: "error", ...place }),
  };
}
