/**
 * What may become of an action for a principal with one role: the walk of `engine/check/resource-walk.ts`, with
 * conditions that may go either way. Principal policies are left out: they are for principals, not for roles.
 */

import type { CompiledRow } from "../../engine/check/rows.js";
import { scopeChain } from "../../engine/plan/scopes.js";
import { includedAt, type PlaceRules, type RuleTable, restrictionsOn, rulesAt } from "../../engine/check/table.js";
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
  const roles = [role, ...(includedAt(table, version, scope)?.get(role) ?? [])];
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
  const rules = rulesAt(table, version, scope);
  if (rules === undefined) return tally;
  restrict(rules, kind, roles, action, tally);
  for (const row of rules.resources.get(kind)?.byAction.about(action) ?? []) {
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
function restrict(rules: PlaceRules, kind: string, roles: readonly string[], action: string, tally: Tally): void {
  const restrictions = restrictionsOn(rules, kind);
  for (const role of roles) {
    const policy = restrictions.get(role);
    if (policy === undefined) continue;
    const listed = policy.byAction.about(action).filter((row) => row.matchesKind(kind));
    if (listed.length === 0) tally.denies = "always";
    else if (listed.some(({ check }) => check !== undefined)) tally.denies = likelier(tally.denies);
  }
}
