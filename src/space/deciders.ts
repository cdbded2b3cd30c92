/** The rules of a layer that a question can come to, whatever kind of policy they stand in. */

import type { PolicySet } from "../decisions/policy-set.js";
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
import { derivedRolesOf } from "../policy/walk.js";
import type { Layer } from "./dimension.js";

/** An operation on a kind of resource. */
export interface Question {
  readonly kind: string;
  readonly operation: string;
}

/** The policies of one layer: none, if the set has no such layer. */
export interface LayerPolicies {
  readonly resources: readonly ResourcePolicy[];
  readonly principals: readonly PrincipalPolicy[];
  readonly roles: readonly RolePolicy[];
  /** Those of resources, then those of principals, then those of roles. */
  readonly all: readonly AnyPolicy[];
}

export function policiesOf(set: PolicySet, layer: Layer): LayerPolicies {
  const { model } = set;
  const compiled = set[layer];
  const isIn = ({ version }: AnyPolicy) => version === compiled?.version;
  const resources = model.resourcePolicies.filter(isIn);
  const principals = model.principalPolicies.filter(isIn);
  const roles = model.rolePolicies.filter(isIn);
  return { resources, principals, roles, all: [...resources, ...principals, ...roles] };
}

/** A rule that can decide, as every kind of policy has it. */
export interface Decider {
  /** A role policy's rule allows what it lists. */
  readonly allows: boolean;
  /** Roles by which it applies; `*` is any. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly DerivedRole[];
  /** Whom alone it is about: the id of a principal policy. */
  readonly principal: string | undefined;
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  /** A role policy's rules have no reasons and no outputs. */
  readonly rule: Rule | undefined;
}

export function resourcePoliciesOn({ resources }: LayerPolicies, { kind }: Question): readonly ResourcePolicy[] {
  return resources.filter(({ resource }) => resource === sanitise(kind));
}

export function decidersOf({ all }: LayerPolicies, { kind, operation }: Question): readonly Decider[] {
  const name = sanitise(kind);
  return all.flatMap((policy) =>
    policy.rules.flatMap((rule): readonly Decider[] => {
      const target = targetOf(policy, rule);
      return isAboutKind(target, name) && isAboutAction(target, operation) ? [deciderOf(policy, rule)] : [];
    }),
  );
}

function deciderOf(policy: AnyPolicy, rule: AnyRule): Decider {
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
