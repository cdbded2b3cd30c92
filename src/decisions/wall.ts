/**
 * The wall between the layers. What a platform policy can read of a request is the account, the operation and the
 * resource; this module reports what would let it read, or depend on, anything of the key.
 */

import { type Facts, factsOf } from "../cel/facts.js";
import type { PolicyIssue, Position } from "../policy/issue.js";
import type { PolicyModel, ResourcePolicy } from "../policy/model.js";
import { expressionsOf } from "../policy/walk.js";

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
  const platform = model.resourcePolicies.filter((policy) => policy.version === platformVersion);
  const issues: PolicyIssue[] = [];
  if (platform.length === 0) issues.push(missingLayer("no_platform_policies", "platform", platformVersion));
  if (!model.resourcePolicies.some((policy) => policy.version === permissionVersion)) {
    issues.push(missingLayer("no_permission_policies", "permission", permissionVersion));
  }
  return [...issues, ...platform.flatMap(readsOfKey), ...platform.flatMap(unnamedDenials)].sort(byPlace);
}

const NOWHERE: Position = { file: ".", line: 1, column: 1 };

function missingLayer(
  code: "no_platform_policies" | "no_permission_policies",
  layer: string,
  version: string,
): PolicyIssue {
  const hint = `add resource policies with \`version: ${version}\``;
  return { ...issue("error", NOWHERE, code, `there are no ${layer} policies (version ${version})`), hint };
}

/** Roles that only a key can have, and data that arrives with the key. */
function readsOfKey(policy: ResourcePolicy): readonly PolicyIssue[] {
  const issues: PolicyIssue[] = [];
  for (const rule of policy.rules) {
    rule.roles.forEach((role, i) => {
      if (PLATFORM_ROLES.has(role)) return;
      const at = rule.rolePositions[i] ?? rule.at;
      issues.push(keyRead(at, `role ${role} in a platform policy: its only role is account`));
    });
  }
  for (const role of policy.derivedRoles.values()) {
    for (const parent of role.parentRoles) {
      if (PLATFORM_ROLES.has(parent)) continue;
      issues.push(
        keyRead(role.at, `derived role ${role.name} of ${parent} in a platform policy: its only role is account`),
      );
    }
  }
  for (const expression of expressionsOf(policy)) {
    const facts: Facts = factsOf(expression.expr);
    for (const read of facts.reads) {
      if (!read.root.startsWith("request.auxData")) continue;
      issues.push(keyRead(expression.position(read.at), "request.auxData in a platform policy: it comes with the key"));
    }
  }
  return issues;
}

function keyRead(at: Position, message: string): PolicyIssue {
  return issue("error", at, "platform_reads_key", message);
}

/** A denial without a name has no reason to give; without an output a remote PDP cannot give it. */
function unnamedDenials(policy: ResourcePolicy): readonly PolicyIssue[] {
  return policy.rules.flatMap((rule) => {
    if (rule.effect !== "deny") return [];
    const lacks = [rule.named ? [] : ["name"], rule.output?.ruleActivated === undefined ? ["output"] : []].flat();
    if (lacks.length === 0) return [];
    const message = `platform DENY rule ${rule.name} has no ${lacks.join(" and no ")}: its reason is lost`;
    return [issue("warning", rule.at, "unnamed_denial", message)];
  });
}

function issue(
  severity: PolicyIssue["severity"],
  at: Position,
  code: PolicyIssue["code"],
  message: string,
): PolicyIssue {
  return { severity, ...at, code, message };
}

function byPlace(a: PolicyIssue, b: PolicyIssue): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
