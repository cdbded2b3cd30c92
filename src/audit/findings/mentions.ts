/** What policies mention by name, and where: actions of kinds, and roles. */

import type { Position } from "../../policy/issue.js";
import { sanitise } from "../../policy/names.js";
import { type AnyPolicy, type LayerName, type LayerOf, ruleId } from "../policies.js";

const ANY = "*";

/** An action in the list of a rule. */
export interface ActionMention extends Position {
  readonly layer: LayerName;
  /** The kind, sanitised, or a pattern of kinds. */
  readonly kind: string;
  /** A name or a pattern. */
  readonly action: string;
  /** `restrict`: a role policy's. */
  readonly effect: "allow" | "deny" | "restrict";
  readonly rule: string;
}

export interface RoleMention extends Position {
  readonly role: string;
}

/** Every action that rules of the layers list. */
export function actionsIn(policies: readonly AnyPolicy[], layerOf: LayerOf): readonly ActionMention[] {
  return policies.flatMap((policy) => {
    const layer = layerOf(policy);
    if (layer === undefined) return [];
    return policy.rules.flatMap((rule, i) => {
      const actions = "allowActions" in rule ? rule.allowActions : rule.actions;
      const effect = "effect" in rule ? rule.effect : "restrict";
      const kind = kindOf(policy, rule);
      return actions.map((action, at): ActionMention => {
        const place = rule.actionPositions[at] ?? rule.at;
        return { ...place, layer, kind, action, effect, rule: ruleId(policy, i) };
      });
    });
  });
}

function kindOf(policy: AnyPolicy, rule: object): string {
  if (policy.kind === "resource") return policy.resource;
  return "resource" in rule && typeof rule.resource === "string" ? sanitise(rule.resource) : ANY;
}

/** Every role that policies mention but `*`. */
export function rolesIn(policies: readonly AnyPolicy[]): readonly RoleMention[] {
  return policies.flatMap(rolesOf).filter(({ role }) => role !== ANY);
}

function rolesOf(policy: AnyPolicy): readonly RoleMention[] {
  if (policy.kind === "principal") return [];
  if (policy.kind === "role") return [policy.role, ...policy.parentRoles].map((role) => ({ ...policy.at, role }));
  const ofRules = policy.rules.flatMap((rule) =>
    rule.roles.map((role, i) => ({ ...(rule.rolePositions[i] ?? rule.at), role })),
  );
  const ofDerived = [...policy.derivedRoles.values()].flatMap(({ parentRoles, at }) =>
    parentRoles.map((role) => ({ ...at, role })),
  );
  return [...ofRules, ...ofDerived];
}
