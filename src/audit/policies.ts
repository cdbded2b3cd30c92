/** Policies as audits speak of them: which layer they are in, and what their rules are called. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { AnyPolicy } from "../policy/model.js";

export type LayerName = "permission" | "platform";

/** What the words call the principal of a layer. */
export const PRINCIPAL_NAMES: { readonly [L in LayerName]: string } = {
  permission: "the key",
  platform: "the account",
};

/** Which policies are in which layer. */
export type LayerOf = (policy: Pick<AnyPolicy, "version">) => LayerName | undefined;

export function layersOf({ permission, platform }: Pick<PolicySet, "permission" | "platform">): LayerOf {
  return ({ version }) => {
    if (version === permission.version) return "permission";
    return version === platform?.version ? "platform" : undefined;
  };
}

/** `resource.api.vplatform#system_resource`; unique in a policy set. */
export function ruleId(policy: AnyPolicy, index: number): string {
  const name = policy.kind === "role" ? `rule-${index + 1}` : (policy.rules[index]?.name ?? "");
  return policy.kind === "principal" ? `${policy.key}#${index + 1}.${name}` : `${policy.key}#${name}`;
}
