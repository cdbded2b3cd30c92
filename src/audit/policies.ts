/** The layer of a policy, and the names of its rules in audits. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { AnyPolicy } from "../policy/model.js";

export type LayerName = "permission" | "platform";

/** The name of each layer's principal in words. */
export const PRINCIPAL_NAMES: { readonly [L in LayerName]: string } = {
  permission: "the key",
  platform: "the account",
};

export interface LayeredPolicy {
  readonly layer: LayerName;
  readonly policy: AnyPolicy;
}

/** The policies of the layers: of principals, of roles, then of resources. */
export function layeredPolicies({ model, permission, platform }: PolicySet): readonly LayeredPolicy[] {
  const all = [...model.principalPolicies, ...model.rolePolicies, ...model.resourcePolicies];
  return all.flatMap((policy): readonly LayeredPolicy[] => {
    if (policy.version === permission.version) return [{ layer: "permission", policy }];
    return policy.version === platform?.version ? [{ layer: "platform", policy }] : [];
  });
}

/** `resource.api.vplatform#system_resource`; unique in a policy set. */
export function ruleId(policy: AnyPolicy, index: number): string {
  const name = policy.kind === "role" ? `rule-${index + 1}` : (policy.rules[index]?.name ?? "");
  return policy.kind === "principal" ? `${policy.key}#${index + 1}.${name}` : `${policy.key}#${name}`;
}

const SUBJECTS: { readonly [kind: string]: string } = {
  resource: "resource kind",
  principal: "principal",
  role: "role",
};

/** A policy's key in words: `resource.api.vdefault` is the policy for the resource kind api, version default. */
export function policyWords(key: string): string {
  const [, kind = "", name, version = "", scope] = /^([a-z]+)\.([^/]*)\.v(\w*)(?:\/(.*))?$/s.exec(key) ?? [];
  const subject = SUBJECTS[kind];
  if (subject === undefined || name === undefined) return `policy ${key}`;
  return `policy for the ${subject} ${name}, version ${version}${scope === undefined ? "" : `, scope ${scope}`}`;
}

/** The owner of a name, in words: a policy, or a derived role of one (`resource.api.vdefault@owner`). */
export function ownerWords(owner: string): string {
  const [, key = owner, role] = /^(resource\.[^/]*\.v\w*(?:\/[^@]*)?)@([\w.-]+)$/.exec(owner) ?? [];
  return role === undefined ? policyWords(owner) : `derived role ${role} of the ${policyWords(key)}`;
}
