/**
 * Finds the policies that no layer asks. The layer of a policy is its version, so a misspelt version takes a policy out
 * of every decision. Requests that the policy prohibits would be allowed.
 */

import { allPolicies } from "../policy/all-policies.js";
import { didYouMean } from "../policy/distance.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyModel, PrincipalPolicy, ResourcePolicy, RolePolicy } from "../policy/model.js";

export interface LayerVersions {
  readonly permission: string;
  /** Undefined: the set is permission-only. */
  readonly platform: string | undefined;
  /** Versions that are meant to be in neither layer. */
  readonly others: readonly string[];
}

/**
 * One issue for each policy in no layer. A permission-only set may have policies of any version, as every Cerbos
 * repository may: there a version that looks like the layer's misspelt is a warning, and no other is reported. If a
 * whole layer is missing, only policies with a version that looks like it are reported. If both layers have one
 * version, no policy is. Both mistakes are reported elsewhere.
 */
export function layerIssues(model: PolicyModel, versions: LayerVersions): readonly PolicyIssue[] {
  const { permission, platform, others } = versions;
  if (permission === platform) return [];
  const meant = new Set([permission, platform, ...others]);
  const all = allPolicies(model);
  const astray = all.filter(({ version }) => !meant.has(version));
  if (platform === undefined) {
    return astray
      .filter(({ version }) => looksLike(version, permission))
      .map((policy) => issueOf(policy, "warning", `not the permission layer's (${permission})`, [permission]));
  }
  const present = new Set(all.map(({ version }) => version));
  const missing = [permission, platform].filter((version) => !present.has(version));
  const message = `neither the permission layer's (${permission}) nor the platform layer's (${platform})`;
  return astray
    .filter(({ version }) => missing.length === 0 || missing.some((layer) => looksLike(version, layer)))
    .map((policy) => issueOf(policy, "error", message, [permission, platform]));
}

function issueOf(
  { version, versionAt }: ResourcePolicy | PrincipalPolicy | RolePolicy,
  severity: PolicyIssue["severity"],
  which: string,
  layers: readonly string[],
): PolicyIssue {
  const message = `the version ${version} is ${which}: no decision asks this policy`;
  const meant = layers.filter((layer) => looksLike(version, layer));
  const like = didYouMean(version, meant);
  const named = `if no layer here should use it, say --other-version ${version} (in programs, otherVersions: ["${version}"])`;
  return { severity, ...versionAt, code: "no_layer", message, hint: like === undefined ? named : `${like} ${named}` };
}

/**
 * Whether a version is probably another one misspelt. Versions with numbers are similar by nature, so they never are.
 */
function looksLike(version: string, layer: string): boolean {
  return layer.length > 4 && !/\d/.test(version) && didYouMean(version, [layer]) !== undefined;
}
