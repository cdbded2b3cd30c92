/**
 * The rule table: every policy of a set, compiled to rows and indexed by what a check asks for (reference §0.1, §2.5).
 */

import { compileGlob, type Glob, isGlob } from "../../policy/glob.js";
import type { PolicyModel, PrincipalPolicy, ResourcePolicy, RolePolicy, ScopePermissions } from "../../policy/model.js";
import type { Check, OnError } from "../condition.js";
import type { Observer } from "../observer.js";
import { matchers, PolicyCompiler } from "./compile.js";
import { placeKey } from "./place.js";
import type { CompiledRow, CompiledRows } from "./rows.js";
import { compileSchemas, type SchemaTable } from "./schema.js";

/** A principal policy's rule: a row for the kinds that its pattern matches. */
export interface PrincipalRow extends CompiledRow {
  readonly matchesKind: (kind: string) => boolean;
}

export interface CompiledPrincipal extends CompiledRows {
  readonly rows: readonly PrincipalRow[];
}

/** A role policy's rule: what the role may do at most. */
export interface RoleRow extends Pick<CompiledRow, "actions" | "actionGlobs"> {
  readonly matchesKind: (kind: string) => boolean;
  readonly check: Check | undefined;
}

export interface CompiledRole {
  readonly key: string;
  readonly rows: readonly RoleRow[];
  readonly slots: number;
}

export interface RuleTable {
  /** Scopes of resource and role policies of whatever kind and version; of principal policies (reference §2.7). */
  readonly resourceScopes: ReadonlySet<string>;
  readonly principalScopes: ReadonlySet<string>;
  readonly schemas: SchemaTable;
  readonly scopePermissions: ReadonlyMap<string, ScopePermissions>;
  /** By version, scope and kind: see {@link placeKey}. */
  readonly resources: ReadonlyMap<string, CompiledRows>;
  /** By version, scope and principal id. */
  readonly principals: ReadonlyMap<string, CompiledPrincipal>;
  /** The principal policies of a version and scope, whomever they are for. */
  readonly principalPlaces: ReadonlyMap<string, readonly CompiledPrincipal[]>;
  /** By version and scope, then by role. A policy without rules is not among them: it restricts nothing. */
  readonly roles: ReadonlyMap<string, ReadonlyMap<string, CompiledRole>>;
  /**
   * By version and scope, then by role: every role that its role policies give it, however far up. Versions that no
   * role policy has are under {@link ANY_VERSION}.
   */
  readonly ancestors: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

/** `observer` is told what checks reach. */
export function compileTable(model: PolicyModel, onError: OnError, observer?: Observer): RuleTable {
  const { resourcePolicies, principalPolicies, rolePolicies } = model;
  const principals = principalPolicies.map((policy) => [policy, compilePrincipal(policy, onError, observer)] as const);
  return {
    resourceScopes: resourceScopesOf(model),
    principalScopes: new Set(principalPolicies.map((policy) => policy.scope)),
    schemas: compileSchemas(model),
    scopePermissions: model.scopePermissions,
    resources: new Map(
      resourcePolicies.map((p) => [placeKey(p.version, p.scope, p.resource), compileResource(p, onError, observer)]),
    ),
    principals: new Map(principals.map(([p, compiled]) => [placeKey(p.version, p.scope, p.name), compiled])),
    principalPlaces: grouped(principals.map(([p, compiled]) => [placeKey(p.version, p.scope), compiled])),
    roles: compileRoles(rolePolicies, onError, observer),
    ancestors: ancestorsOf(rolePolicies),
  };
}

/** A role policy without rules restricts nothing, and its scope does not exist through it. */
export function resourceScopesOf({ resourcePolicies, rolePolicies }: PolicyModel): ReadonlySet<string> {
  const restricting = rolePolicies.filter(({ rules }) => rules.length > 0);
  return new Set([...resourcePolicies, ...restricting].map(({ scope }) => scope));
}

/**
 * A scope that requires its parents' consent only takes away: an ALLOW rule with a condition is a DENY where the
 * condition does not hold (reference §2.5).
 */
export function consenting(policy: { readonly scopePermissions: ScopePermissions }): boolean {
  return policy.scopePermissions === "require_parental_consent_for_allows";
}

function compileResource(policy: ResourcePolicy, onError: OnError, observer: Observer | undefined): CompiledRows {
  const compiler = new PolicyCompiler(onError, observer);
  const derivedRoles = new Map([...policy.derivedRoles].map(([name, role]) => [name, compiler.derivedRole(role)]));
  const rows = policy.rules.map((rule) => {
    const listed = rule.derivedRoles.flatMap((name) => derivedRoles.get(name) ?? []);
    const written = consenting(policy) ? vetoing(rule) : rule;
    return compiler.row(policy.key, written, policy.definitions, rule.roles, listed);
  });
  return { key: policy.key, rows, derivedRoles: [...derivedRoles.values()], slots: compiler.slots.count };
}

function compilePrincipal(
  policy: PrincipalPolicy,
  onError: OnError,
  observer: Observer | undefined,
): CompiledPrincipal {
  const compiler = new PolicyCompiler(onError, observer);
  const rows = policy.rules.map((rule) => {
    const written = consenting(policy) ? vetoing(rule) : rule;
    const row = compiler.row(policy.key, written, policy.definitions, ["*"], []);
    return { ...row, matchesKind: kindMatcher(rule.resourceName) };
  });
  return { key: policy.key, rows, derivedRoles: [], slots: compiler.slots.count };
}

export function vetoing<R extends ResourcePolicy["rules"][number] | PrincipalPolicy["rules"][number]>(rule: R): R {
  if (rule.effect !== "allow" || rule.condition === undefined) return rule;
  return { ...rule, effect: "deny", condition: { kind: "none", of: [rule.condition] } };
}

/** A kind, or a glob over kinds. */
export function kindMatcher(pattern: string): (kind: string) => boolean {
  if (!isGlob(pattern)) return (kind) => kind === pattern;
  const glob: Glob | undefined = compileGlob(pattern);
  return glob ?? (() => false);
}

function compileRoles(
  policies: readonly RolePolicy[],
  onError: OnError,
  observer: Observer | undefined,
): ReadonlyMap<string, ReadonlyMap<string, CompiledRole>> {
  const places = new Map<string, Map<string, CompiledRole>>();
  for (const policy of policies) {
    if (policy.rules.length === 0) continue;
    const place = placeKey(policy.version, policy.scope);
    const roles = places.get(place) ?? new Map<string, CompiledRole>();
    places.set(place, roles.set(policy.role, compileRole(policy, onError, observer)));
  }
  return places;
}

function compileRole(policy: RolePolicy, onError: OnError, observer: Observer | undefined): CompiledRole {
  const compiler = new PolicyCompiler(onError, observer);
  const rows = policy.rules.map((rule) => ({
    matchesKind: kindMatcher(rule.resource),
    ...matchers(rule.allowActions),
    check: compiler.condition(rule.condition, policy.definitions, rule.at),
  }));
  return { key: policy.key, rows, slots: compiler.slots.count };
}

/** What no policy's version is. */
export const ANY_VERSION = "";

/**
 * The server keeps one list of parents for a role in a scope, whatever the version: that of whichever policy it
 * loaded last. Here a policy of the request's version comes first; those of other versions count where there is none.
 */
function ancestorsOf(policies: readonly RolePolicy[]): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const ancestors = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const versions = new Set([ANY_VERSION, ...policies.map((policy) => policy.version)]);
  for (const [scope, all] of grouped(policies.map((policy) => [policy.scope, policy]))) {
    for (const version of versions) ancestors.set(placeKey(version, scope), closure(parentsIn(all, version)));
  }
  return ancestors;
}

/** The parents of each role of a scope, as a version has them. */
function parentsIn(policies: readonly RolePolicy[], version: string): ReadonlyMap<string, ReadonlySet<string>> {
  const parents = new Map<string, ReadonlySet<string>>();
  for (const [role, all] of grouped(policies.map((policy) => [policy.role, policy]))) {
    const own = all.filter((policy) => policy.version === version);
    parents.set(role, new Set((own.length > 0 ? own : all).flatMap((policy) => policy.parentRoles)));
  }
  return parents;
}

function grouped<T>(entries: readonly (readonly [key: string, item: T])[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const [key, item] of entries) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Every role reachable from each, itself excepted. */
function closure(parents: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const role of parents.keys()) {
    const found = new Set<string>();
    const queue = [...(parents.get(role) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (found.has(next) || next === role) continue;
      found.add(next);
      queue.push(...(parents.get(next) ?? []));
    }
    all.set(role, [...found]);
  }
  return all;
}
