/**
 * Scope permissions hold for a scope, so all resource and principal policies in it have to say the same; those that say
 * nothing say OVERRIDE_PARENT (https://docs.cerbos.dev/cerbos/latest/policies/scope_permissions). The server means
 * to check that, but its check has faults (https://github.com/cerbos/cerbos/issues/3382): two policies may disagree,
 * and then the one that was loaded last wins; from three on, UNSPECIFIED and OVERRIDE_PARENT are a conflict in some
 * orders of the files, where sets of derived roles and exports count as policies of the root scope that say nothing. Here
 * the documented rule holds, with a warning of such sets.
 */

import type { IssueLog } from "../issue-log.js";
import type { ScopePermissions } from "../model.js";
import type { RawPrincipalPolicy, RawResourcePolicy } from "../read/raw.js";
import type { Catalogue } from "./catalogue.js";
import { placeOf } from "./library.js";

type Scoped = RawResourcePolicy | RawPrincipalPolicy;

/** Reports each policy that says another thing than the first one of its scope. */
export function checkScopePermissions({ byKey, ...libraries }: Catalogue, log: IssueLog): void {
  const firsts = new Map<string, Scoped>();
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
      const message = `policies of ${describe(scope)} must agree: this one has ${NAMES[scopePermissions.value]}, "${first.key}" at ${placeOf(first)} has ${NAMES[first.scopePermissions.value]}`;
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

/** What holds in each scope that has one of the policies. */
export function scopePermissionsOf(policies: readonly Scoped[]): ReadonlyMap<string, ScopePermissions> {
  return new Map(policies.map(({ scope, scopePermissions }) => [scope, scopePermissions.value]));
}

const NAMES: { readonly [P in ScopePermissions]: string } = {
  override_parent: "OVERRIDE_PARENT",
  require_parental_consent_for_allows: "REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
};

function describe(scope: string): string {
  return scope === "" ? "the root scope" : `the scope "${scope}"`;
}
