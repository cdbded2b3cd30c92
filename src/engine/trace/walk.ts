/**
 * Which policies a request consults, in which order, and what follows: the walks of `../check`, over traces. A layer
 * without scopes is the case of a single one.
 */

import type { PrincipalInput } from "../activation.js";
import { hasPrincipalPolicy, hasResourcePolicy, includedAt, restrictionsOn, rulesAt } from "../check/table.js";
import type { LayerTable } from "../table.js";
import type { LayerEffect } from "../verdict.js";
import type { Finding, PolicyRun } from "./run.js";
import type { RoleTrace } from "./types.js";

/** What a walk through the policies needs of them. */
export interface Consulted {
  readonly table: LayerTable;
  readonly kind: string;
  readonly principal: PrincipalInput;
  readonly principalChain: readonly string[];
  readonly resourceChain: readonly string[];
  /** The scope of the resource, whether it exists or not. */
  readonly resourceScope: string;
  /** The policy at a place, taken up for this request if it was not; undefined if there is none. */
  run(kind: "resource" | "principal" | "role", scope: string, name: string): PolicyRun | undefined;
}

interface Walked {
  readonly effect: LayerEffect;
  readonly roles: readonly RoleTrace[];
}

type Ruling = Pick<RoleTrace, "effect" | "scope">;

const UNDECIDED: Ruling = { effect: "none" };

export function walk(consulted: Consulted): Walked {
  if (!isKnown(consulted)) return { effect: "deny", roles: [] };
  const personal = personalRuling(consulted);
  if (personal.effect !== "none") return { effect: personal.effect === "allow" ? "allow" : "deny", roles: [] };
  const roles = consulted.principal.roles.map((role): RoleTrace => {
    const includes = includedRoles(consulted.table, consulted.resourceScope, role);
    return { role, includes, ...roleRuling(consulted, [role, ...includes]) };
  });
  const erred = roles.some(({ effect }) => effect === "error");
  const allowed = roles.some(({ effect }) => effect === "allow");
  return { effect: allowed && !erred ? "allow" : "deny", roles };
}

/** The roles that a role includes in a scope, by role policies. */
export function includedRoles({ scoped, version }: LayerTable, scope: string, role: string): readonly string[] {
  return (scoped && includedAt(scoped.table, version, scope)?.get(role)) ?? [];
}

/** Whether there is a policy for the request at all: otherwise nothing is looked at. */
function isKnown({ table, kind, principalChain, resourceChain }: Consulted): boolean {
  const { scoped, version } = table;
  if (scoped === undefined) return true;
  return (
    hasPrincipalPolicy(scoped.table, version, principalChain) ||
    hasResourcePolicy(scoped.table, version, resourceChain, kind)
  );
}

/** What the principal's own policies say: their decision is final. */
function personalRuling({ table, principal, principalChain, run }: Consulted): Ruling {
  for (const scope of principalChain) {
    const policy = run("principal", scope, principal.id);
    if (policy === undefined) continue;
    const { allows, denies, erred } = policy.examine([]);
    if (erred) return { effect: "error", scope };
    if (denies) return { effect: "deny", scope };
    if (allows && !asksParents(table, scope)) return { effect: "allow", scope };
  }
  return UNDECIDED;
}

function roleRuling(consulted: Consulted, names: readonly string[]): Ruling {
  const { table, kind, resourceChain, run } = consulted;
  for (const scope of resourceChain) {
    const policy = run("resource", scope, kind);
    const restrictions = restrictionsAt(consulted, scope, names);
    const findings = [...restrictions, ...(policy === undefined ? [] : [policy.examine(names)])];
    if (findings.some(({ erred }) => erred)) return { effect: "error", scope };
    if (findings.some(({ denies }) => denies)) return { effect: "deny", scope };
    if (findings.some(({ allows }) => allows) && !asksParents(table, scope)) return { effect: "allow", scope };
  }
  return UNDECIDED;
}

/** What role policies of a scope take away from a role and from those that it includes. */
function restrictionsAt({ table, kind, run }: Consulted, scope: string, names: readonly string[]): readonly Finding[] {
  const rules = table.scoped && rulesAt(table.scoped.table, table.version, scope);
  if (rules === undefined || restrictionsOn(rules, kind).size === 0) return [];
  return names.flatMap((name) => run("role", scope, name)?.restrict(name) ?? []);
}

function asksParents({ scoped }: LayerTable, scope: string): boolean {
  return scoped?.table.scopePermissions.get(scope) === "require_parental_consent_for_allows";
}
