/** The rules of a layer that may decide a question, from every kind of policy. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { isAboutAction, isAboutKind, targetOf } from "../engine/plan/targets.js";
import type {
  AnyPolicy,
  AnyRule,
  Condition,
  Definitions,
  DerivedRole,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
  Rule,
} from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import { derivedRolesOf } from "../policy/policy-expressions.js";
import { LAYERS, type SpaceLayer } from "./dimension.js";

/** The policies of one layer; empty if the set has no such layer. */
export interface PoliciesOfLayer {
  readonly resources: readonly ResourcePolicy[];
  readonly principals: readonly PrincipalPolicy[];
  readonly roles: readonly RolePolicy[];
  /** Resource policies first, then principal policies, then role policies. */
  readonly all: readonly AnyPolicy[];
}

export function policiesOf(set: PolicySet, layer: SpaceLayer): PoliciesOfLayer {
  const { model } = set;
  const compiled = set[layer];
  const isIn = ({ version }: AnyPolicy) => version === compiled?.version;
  const resources = model.resourcePolicies.filter(isIn);
  const principals = model.principalPolicies.filter(isIn);
  const roles = model.rolePolicies.filter(isIn);
  return { resources, principals, roles, all: [...resources, ...principals, ...roles] };
}

/** The policies of both layers of some sets. */
export function policiesOfLayers(sets: readonly PolicySet[]): readonly AnyPolicy[] {
  return sets.flatMap((set) => LAYERS.flatMap((layer) => policiesOf(set, layer).all));
}

/** A rule that can decide, in one form for every kind of policy. */
export interface DecidingRule {
  /** A rule of a role policy allows the actions that it lists. */
  readonly allows: boolean;
  /** The roles that it applies to; `*` is any role. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly DerivedRole[];
  /** The id of the only principal that it applies to, for a rule of a principal policy. */
  readonly principal: string | undefined;
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  /** A role policy's rules have no reasons and no outputs. */
  readonly rule: Rule | undefined;
}

export function resourcePoliciesOn(
  { resources }: PoliciesOfLayer,
  { kind }: OperationQuestion,
): readonly ResourcePolicy[] {
  return resources.filter(({ resource }) => resource === sanitise(kind));
}

export function decidingRulesOf(
  { all }: PoliciesOfLayer,
  { kind, operation }: OperationQuestion,
): readonly DecidingRule[] {
  const name = sanitise(kind);
  return all.flatMap((policy) =>
    policy.rules.flatMap((rule): readonly DecidingRule[] => {
      const target = targetOf(policy, rule);
      return isAboutKind(target, name) && isAboutAction(target, operation) ? [deciderOf(policy, rule)] : [];
    }),
  );
}

function deciderOf(policy: AnyPolicy, rule: AnyRule): DecidingRule {
  const own = "effect" in rule ? rule : undefined;
  return {
    allows: own === undefined || own.effect === "allow",
    roles: policy.kind === "role" ? [policy.role] : "roles" in rule ? rule.roles : ["*"],
    derivedRoles: derivedRolesOf(policy, rule),
    principal: policy.kind === "principal" ? policy.name : undefined,
    condition: rule.condition,
    definitions: policy.definitions,
    rule: own,
  };
}
