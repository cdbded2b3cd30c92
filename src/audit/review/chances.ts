/**
 * What may become of an action for a principal with one role: the walk of `engine/check/resource-walk.ts`, with
 * conditions that may go either way. Principal policies are left out: they are for principals, not for roles.
 */

import { placeKey } from "../../engine/check/place.js";
import { type CompiledRow, isAbout } from "../../engine/check/rows.js";
import { scopeChain } from "../../engine/check/scopes.js";
import { ANY_VERSION, type RuleTable } from "../../engine/check/table.js";
import type { Chance } from "./types.js";

export interface Possible {
  readonly chance: Chance;
  /** Whether something that may allow names the role, or one that it includes. */
  readonly namesRole: boolean;
}

/** What one scope may say. */
interface Tally {
  allows: Chance;
  denies: Chance;
  namesRole: boolean;
}

export interface Where {
  readonly version: string;
  readonly scope: string;
  /** The kind, sanitised. */
  readonly kind: string;
}

export function possible(table: RuleTable, where: Where, role: string, action: string): Possible {
  const { version, scope } = where;
  const ancestors = table.ancestors.get(placeKey(version, scope)) ?? table.ancestors.get(placeKey(ANY_VERSION, scope));
  const roles = [role, ...(ancestors?.get(role) ?? [])];
  let mayAllow = false;
  let mayDeny = false;
  let namesRole = false;
  for (const at of scopeChain(table.resourceScopes, scope, false)) {
    const tally = tallyOf(table, where, at, roles, action);
    if (tally.denies === "always") break;
    mayDeny ||= tally.denies !== "never";
    if (tally.allows === "never" || table.scopePermissions.get(at) === "require_parental_consent_for_allows") continue;
    mayAllow = true;
    namesRole ||= tally.namesRole;
    if (tally.allows === "always") return { chance: mayDeny ? "conditional" : "always", namesRole };
  }
  return { chance: mayAllow ? "conditional" : "never", namesRole };
}

function tallyOf(
  table: RuleTable,
  { version, kind }: Where,
  scope: string,
  roles: readonly string[],
  action: string,
): Tally {
  const tally: Tally = { allows: "never", denies: "never", namesRole: false };
  restrict(table, version, kind, scope, roles, action, tally);
  for (const row of table.resources.get(placeKey(version, scope, kind))?.rows ?? []) {
    if (!isAbout(row, action)) continue;
    const named = roles.some((role) => row.roles.has(role));
    if (row.anyRole || named) count(tally, row, row.check === undefined, named && !row.anyRole);
    for (const { anyParent, parentRoles, check } of row.derivedRoles) {
      const parent = roles.some((role) => parentRoles.has(role));
      if (!anyParent && !parent) continue;
      count(tally, row, row.check === undefined && check === undefined, parent && !anyParent);
    }
  }
  return tally;
}

/** What a rule adds. A condition that errs denies, whatever the rule's effect. */
function count(tally: Tally, { effect }: CompiledRow, certain: boolean, namesRole: boolean): void {
  if (effect === "deny") tally.denies = certain ? "always" : likelier(tally.denies);
  else {
    tally.allows = certain ? "always" : likelier(tally.allows);
    tally.namesRole ||= namesRole;
  }
  if (!certain) tally.denies = likelier(tally.denies);
}

function likelier(chance: Chance): Chance {
  return chance === "never" ? "conditional" : chance;
}

/** Role policies: see `ResourceWalk.restrict`. */
function restrict(
  table: RuleTable,
  version: string,
  kind: string,
  scope: string,
  roles: readonly string[],
  action: string,
  tally: Tally,
): void {
  const place = placeKey(version, scope);
  const policies = table.roles.get(place);
  if (policies === undefined) return;
  const about = ({ rows }: { readonly rows: readonly { matchesKind(kind: string): boolean }[] }) =>
    rows.some((row) => row.matchesKind(kind));
  const principals = table.principalPlaces.get(place) ?? [];
  const hasPolicy = table.resources.has(placeKey(version, scope, kind));
  if (!hasPolicy && ![...policies.values()].some(about) && !principals.some(about)) return;
  for (const role of roles) {
    const policy = policies.get(role);
    if (policy === undefined) continue;
    const listed = policy.rows.filter((row) => row.matchesKind(kind) && isAbout(row, action));
    if (listed.length === 0) tally.denies = "always";
    else if (listed.some(({ check }) => check !== undefined)) tally.denies = likelier(tally.denies);
  }
}
