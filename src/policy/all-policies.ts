/** The policies of a model, of all kinds. */

import type { AnyPolicy, PolicyModel } from "./model.js";

type Policies = Pick<PolicyModel, "resourcePolicies" | "principalPolicies" | "rolePolicies">;

/** Resource policies, then principal policies, then role policies. */
export function allPolicies({ resourcePolicies, principalPolicies, rolePolicies }: Policies): readonly AnyPolicy[] {
  return [...resourcePolicies, ...principalPolicies, ...rolePolicies];
}

/** {@link allPolicies} of one version. */
export function policiesOfVersion(model: Policies, version: string): readonly AnyPolicy[] {
  return allPolicies(model).filter((policy) => policy.version === version);
}

/** The versions of all policies, each once, in alphabetical order. */
export function policyVersions(model: Policies): readonly string[] {
  return [...new Set(allPolicies(model).map(({ version }) => version))].sort();
}
