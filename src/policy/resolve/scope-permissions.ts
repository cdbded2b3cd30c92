/**
 * Scope permissions belong to a scope, so all its resource and principal policies must agree. A policy that does not set
 * them has OVERRIDE_PARENT (https://docs.cerbos.dev/cerbos/latest/policies/scope_permissions).
 *
 * The server's check has faults (https://github.com/cerbos/cerbos/issues/3382). Two policies may disagree, and then the
 * one loaded last wins. From three policies on, UNSPECIFIED and OVERRIDE_PARENT conflict in some orders of the files;
 * there, sets of derived roles and exports count as policies of the root scope that set nothing. This code applies the
 * documented rule, and warns about sets that the server may refuse.
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
  for (const policy of byKey.values()) {
    if (policy.kind === "rolePolicy") continue;
    const { value, isWritten } = policy.scopePermissions;
    if (!isWritten || value !== "override_parent" || !silent.delete(policy.scope)) continue;
    const message = `of ${describe(policy.scope)}, this policy has scopePermissions and others have none: in some orders of files the server refuses that. Write OVERRIDE_PARENT in none of them`;
    log.warning("scope_permissions", policy.scopePermissions.at, message);
  }
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
