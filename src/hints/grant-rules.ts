/** The rules of a layer as grants: the branches in which each applies to roles, with the conditions of derived roles. */

import { ANY_ROLE } from "../engine/plan/plan.js";
import type { AnyPolicy, ResourcePolicy, ResourceRule } from "../policy/model.js";
import { writtenRoles } from "../policy/written-roles.js";
import { type Branch, type BranchReader, product } from "./branches.js";

/** A rule, for the roles that it lists or for those of one of its derived roles. */
export interface GrantRule {
  readonly effect: "allow" | "deny";
  /** The policy's key, with its kind and scope. */
  readonly policy: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** Where the rule applies; for a denial, where it does not. */
  readonly branches: readonly Branch[];
}

/** The rules of a layer, apart from role policies, which grant nothing of their own. */
export function grantRulesOf(policies: readonly AnyPolicy[], reader: BranchReader): readonly GrantRule[] {
  return policies.flatMap((policy): readonly GrantRule[] => {
    const { key, definitions } = policy;
    if (policy.kind === "role") return [];
    if (policy.kind === "resource") return policy.rules.flatMap((rule) => resourceGrants(policy, rule, reader));
    return policy.rules.map(({ effect, actions, condition }) => {
      const branches = reader.of({ condition, definitions }, effect === "allow");
      return { effect, policy: `${key} ${actions.join()}`, actions, roles: [ANY_ROLE], branches };
    });
  });
}

function resourceGrants(policy: ResourcePolicy, rule: ResourceRule, reader: BranchReader): readonly GrantRule[] {
  const { effect, actions, roles, condition } = rule;
  const holds = effect === "allow";
  const own = reader.of({ condition, definitions: policy.definitions }, holds);
  const made = { effect, policy: policy.key, actions };
  const guarded = rule.derivedRoles.flatMap((name) => policy.derivedRoles.get(name) ?? []);
  return [
    ...(roles.length === 0 ? [] : [{ ...made, roles, branches: own }]),
    ...guarded.map((role) => {
      const active = reader.of(role, holds);
      return { ...made, roles: role.parentRoles, branches: holds ? product([own, active]) : [...own, ...active] };
    }),
  ];
}

/** Every role that policies name, without patterns. */
export function rolesOf(policies: readonly AnyPolicy[]): readonly string[] {
  return [...new Set(writtenRoles(policies).filter((name) => !name.includes(ANY_ROLE)))].sort();
}
