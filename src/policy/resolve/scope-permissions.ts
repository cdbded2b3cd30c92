/**
 * Scope permissions belong to a scope, so all its resource and principal policies must agree. A policy that does not set
 * them has OVERRIDE_PARENT (https://docs.cerbos.dev/cerbos/latest/policies/scope_permissions).
 *
 * The server's check has faults (https://github.com/cerbos/cerbos/issues/3382). Two policies may disagree, and then the
 * one loaded last wins. From three policies on, UNSPECIFIED conflicts with any setting in some orders of the files;
 * there, role policies count as policies that set nothing, and so do sets of derived roles and exports, in the root
 * scope. This code applies the documented rule, and warns about sets that the server may refuse.
 */

import type { IssueLog } from "../issue-log.js";
import type { ScopePermissions } from "../model.js";
import type { RawPrincipalPolicy, RawResourcePolicy } from "../read/raw.js";
import type { Catalogue } from "./catalogue.js";
import { importLocationText } from "./importable-sets.js";

type PolicyWithScopePermissions = RawResourcePolicy | RawPrincipalPolicy;

/** Reports each policy that disagrees with the first policy of its scope. */
export function checkScopePermissions({ byKey, ...libraries }: Catalogue, log: IssueLog): void {
  const firsts = new Map<string, PolicyWithScopePermissions>();
  const { derivedRoles, exportVariables, exportConstants } = libraries;
  const hasSets = [derivedRoles, exportVariables, exportConstants].some(({ size }) => size > 0);
  const silent = new Set(hasSets ? [""] : []);
  if (log.size > 0) return;
  for (const policy of byKey.values()) {
    if (policy.kind === "rolePolicy") continue;
    const { scope, scopePermissions } = policy;
    const first = firsts.get(scope);
    if (!scopePermissions.isWritten) silent.add(scope);
    if (first === undefined) firsts.set(scope, policy);
    else if (first.scopePermissions.value !== scopePermissions.value) {
      const message = `policies of ${describe(scope)} must agree: this one has ${NAMES[scopePermissions.value]}, "${first.key}" at ${importLocationText(first)} has ${NAMES[first.scopePermissions.value]}`;
      log.error("scope_permissions", scopePermissions.at, message);
    }
  }
  if (log.size > 0) return;
  const besideRoles = scopesWithRolePolicies(byKey.values());
  for (const policy of byKey.values()) {
    if (policy.kind === "rolePolicy") continue;
    const { value, isWritten, at } = policy.scopePermissions;
    if (!isWritten) continue;
    const isBesideRoles = besideRoles.delete(policy.scope);
    const isBesideSilent = silent.delete(policy.scope) && value === "override_parent";
    if (!isBesideRoles && !isBesideSilent) continue;
    const refusal = "in some orders of files the server refuses that";
    const message =
      value === "override_parent"
        ? `this policy has scopePermissions and others have none: ${refusal}. Write OVERRIDE_PARENT in none of them`
        : `this policy has scopePermissions, and those of role policies do not count: ${refusal}. Rename files if it does`;
    log.warning("scope_permissions", at, `of ${describe(policy.scope)}, ${message}`);
  }
}

/** The scopes of role policies that have three policies or more. */
function scopesWithRolePolicies(policies: Iterable<{ readonly kind: string; readonly scope: string }>): Set<string> {
  const counts = new Map<string, number>();
  const withRoles = new Set<string>();
  for (const { kind, scope } of policies) {
    counts.set(scope, (counts.get(scope) ?? 0) + 1);
    if (kind === "rolePolicy") withRoles.add(scope);
  }
  return new Set([...withRoles].filter((scope) => (counts.get(scope) ?? 0) > 2));
}

/** The scope permissions of each scope that has one of the policies. */
export function scopePermissionsOf(
  policies: readonly PolicyWithScopePermissions[],
): ReadonlyMap<string, ScopePermissions> {
  return new Map(policies.map(({ scope, scopePermissions }) => [scope, scopePermissions.value]));
}

const NAMES: { readonly [P in ScopePermissions]: string } = {
  override_parent: "OVERRIDE_PARENT",
  require_parental_consent_for_allows: "REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
};

function describe(scope: string): string {
  return scope === "" ? "the root scope" : `the scope "${scope}"`;
}
