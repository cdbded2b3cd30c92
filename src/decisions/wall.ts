/**
 * The wall between the layers. A platform policy reads the account, the operation and the resource: that is the
 * invariant "two layers apart" of `two-layers.ts`. This module reports policies that would read the key, or depend on
 * it. It also reports sets without one of the layers.
 */

import { usageOf } from "../cel/expression-usage.js";
import { policyVersions } from "../policy/all-policies.js";
import type { PolicyIssue, SourcePosition } from "../policy/issue.js";
import type { PolicyModel, PrincipalPolicy, ResourcePolicy, RolePolicy, Rule } from "../policy/model.js";
import { expressionsOf } from "../policy/policy-expressions.js";

/** The one role of the platform layer's principal. */
const PLATFORM_ROLES: ReadonlySet<string> = new Set(["account", "*"]);

export function wallIssues(
  model: PolicyModel,
  permissionVersion: string,
  platformVersion: string,
): readonly PolicyIssue[] {
  if (permissionVersion === platformVersion) {
    return [issue("error", NOWHERE, "no_platform_policies", "the permission and platform layers are the same version")];
  }
  const inLayer = (policy: { readonly version: string }): boolean => policy.version === platformVersion;
  const platform = model.resourcePolicies.filter(inLayer);
  const principals = model.principalPolicies.filter(inLayer);
  const roles = model.rolePolicies.filter(inLayer);
  const issues: PolicyIssue[] = [];
  if (platform.length === 0) issues.push(noPlatform(model, permissionVersion, platformVersion));
  else if (!model.resourcePolicies.some((policy) => policy.version === permissionVersion)) {
    const message = `there are no permission policies (version ${permissionVersion})`;
    const hint = `add resource policies with \`version: ${permissionVersion}\``;
    issues.push({ ...issue("error", NOWHERE, "no_permission_policies", message), hint });
  }
  return [
    ...issues,
    ...platform.flatMap(rolesOfKeys),
    ...roles
      .filter(({ role }) => !PLATFORM_ROLES.has(role))
      .map(({ role, at }) => foreignRole(at, `role policy for ${role}`)),
    ...[...platform, ...principals, ...roles].flatMap(readsOfToken),
    ...[...platform, ...principals].flatMap(unnamedDenials),
  ];
}

const NOWHERE: SourcePosition = { file: ".", line: 1, column: 1 };

/**
 * The issue of a set without a second layer. Every Cerbos repository is one at first, and its author has never heard of
 * layers. So one sentence says which policies there are and how to load them.
 */
function noPlatform(model: PolicyModel, permissionVersion: string, platformVersion: string): PolicyIssue {
  const versions = policyVersions(model);
  const version = versions.length === 0 || versions.includes(permissionVersion) ? undefined : oneOf(versions);
  const needed =
    version === undefined
      ? '--permission-only (in programs, platform: "none")'
      : `--permission-only --permission-version ${version} (in programs, platform: "none", permissionVersion: "${version}")`;
  const message = `${areOf(versions)}: a plain Cerbos repository needs ${needed}; otherwise resource policies of version ${platformVersion} must say what is forbidden for every key`;
  return issue("error", NOWHERE, "no_platform_policies", message);
}

/**
 * The issues of a permission-only set: it has no policy of its version, or only role policies; or it has policies that
 * usually make the platform layer, and then forbid nothing.
 */
export function permissionIssues(
  model: PolicyModel,
  permissionVersion: string,
  platformVersion: string,
): readonly PolicyIssue[] {
  const versions = policyVersions(model);
  if (versions.includes(permissionVersion)) {
    const onlyRoles = rolePoliciesAlone(model, permissionVersion);
    if (onlyRoles !== undefined) return [onlyRoles];
    const platform = model.resourcePolicies.find(({ version }) => version === platformVersion);
    if (platform === undefined || platformVersion === permissionVersion) return [];
    const message = `a permission-only set does not ask policies of version ${platformVersion}: their prohibitions are ignored`;
    return [issue("warning", platform.at, "platform_not_asked", message)];
  }
  const message = `${areOf(versions)}, none of version ${permissionVersion}`;
  const found = issue("error", NOWHERE, "no_permission_policies", message);
  return [versions.length === 0 ? found : { ...found, hint: versionHint(versions) }];
}

/** Role policies only restrict the allowances of resource policies: without any, every request is denied. */
function rolePoliciesAlone(model: PolicyModel, permissionVersion: string): PolicyIssue | undefined {
  const isAsked = ({ version }: { readonly version: string }) => version === permissionVersion;
  if ([...model.resourcePolicies, ...model.principalPolicies].some(isAsked)) return undefined;
  const versions = [...new Set(model.resourcePolicies.map(({ version }) => version))].sort();
  const first = model.rolePolicies.find(isAsked);
  if (versions.length === 0 || first === undefined) return undefined;
  const message = `only role policies are of version ${permissionVersion}, so every request is denied: the resource policies are of version ${versions.join(", ")}`;
  return { ...issue("warning", first.at, "no_permission_policies", message), hint: versionHint(versions) };
}

function versionHint(versions: readonly string[]): string {
  const version = oneOf(versions);
  return `--permission-version ${version}; in programs, permissionVersion: "${version}"`;
}

/** The only version, or a placeholder for one of several. */
function oneOf(versions: readonly string[]): string {
  const [version = "V"] = versions.length === 1 ? versions : [];
  return version;
}

function areOf(versions: readonly string[]): string {
  if (versions.length === 0) return "there are no policies for resources, principals or roles";
  return versions.length === 1
    ? `the policies are all of version ${versions[0]}`
    : `the policies are of versions ${versions.join(", ")}`;
}

/** Roles that only a key can have. */
function rolesOfKeys(policy: ResourcePolicy): readonly PolicyIssue[] {
  const issues: PolicyIssue[] = [];
  for (const rule of policy.rules) {
    rule.roles.forEach((role, i) => {
      if (PLATFORM_ROLES.has(role)) return;
      const at = rule.rolePositions?.[i] ?? rule.at;
      issues.push(foreignRole(at, `role ${role}`));
    });
  }
  for (const role of policy.derivedRoles.values()) {
    for (const parent of role.parentRoles) {
      if (PLATFORM_ROLES.has(parent)) continue;
      issues.push(foreignRole(role.at, `derived role ${role.name} of ${parent}`));
    }
  }
  return issues;
}

function foreignRole(at: SourcePosition, what: string): PolicyIssue {
  return keyRead(at, `${what} in a platform policy: its only role is account`);
}

/** Reads of data that comes with the key. The whole request contains that data, too. */
function readsOfToken(policy: ResourcePolicy | PrincipalPolicy | RolePolicy): readonly PolicyIssue[] {
  return expressionsOf(policy).flatMap((expression) =>
    usageOf(expression.expr)
      .reads.filter(({ root }) => root === "request" || root.startsWith("request.auxData"))
      .map(({ root, at }) =>
        keyRead(expression.position(at), `${root} in a platform policy: request.auxData comes with the key`),
      ),
  );
}

function keyRead(at: SourcePosition, message: string): PolicyIssue {
  return issue("error", at, "platform_reads_key", message);
}

/** A denial without a name has no reason to give. Without an output, a remote PDP cannot give the reason. */
function unnamedDenials(policy: ResourcePolicy | PrincipalPolicy): readonly PolicyIssue[] {
  return [...policy.rules].flatMap((rule: Rule) => {
    if (rule.effect !== "deny") return [];
    const lacks = [rule.named ? [] : ["name"], rule.output?.ruleActivated === undefined ? ["output"] : []].flat();
    if (lacks.length === 0) return [];
    const message = `platform DENY rule ${rule.name} has no ${lacks.join(" and no ")}: its reason is lost`;
    return [issue("warning", rule.at, "unnamed_denial", message)];
  });
}

function issue(
  severity: PolicyIssue["severity"],
  at: SourcePosition,
  code: PolicyIssue["code"],
  message: string,
): PolicyIssue {
  return { severity, ...at, code, message };
}
