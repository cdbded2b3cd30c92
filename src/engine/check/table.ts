/**
 * The rule table: every policy of a set, compiled to rows and indexed by what a check asks for (reference §0.1, §2.5).
 */

import { compileGlob, type Glob, isGlob } from "../../policy/glob.js";
import type { PolicyModel, PrincipalPolicy, ResourcePolicy, RolePolicy, ScopePermissions } from "../../policy/model.js";
import type { Check, OnError } from "../condition.js";
import type { Observer } from "../observer.js";
import { ActionIndex, type ActionMatchers, matchers } from "./actions.js";
import { PolicyCompiler } from "./compile.js";
import type { CompiledRow, CompiledRows } from "./rows.js";
import { compileSchemas, type SchemaTable } from "./schema.js";

/** A principal policy's rule: a row for the kinds that its pattern matches. */
export interface PrincipalRow extends CompiledRow {
  readonly matchesKind: (kind: string) => boolean;
}

export interface CompiledPrincipal extends CompiledRows {
  readonly rows: readonly PrincipalRow[];
  readonly byAction: ActionIndex<PrincipalRow>;
}

/** A role policy's rule: what the role may do at most. */
export interface RoleRow extends ActionMatchers {
  readonly matchesKind: (kind: string) => boolean;
  readonly check: Check | undefined;
}

export interface CompiledRole {
  readonly key: string;
  readonly rows: readonly RoleRow[];
  readonly byAction: ActionIndex<RoleRow>;
  readonly slots: number;
}

/** The policies of one version and scope. */
export interface PlaceRules {
  /** By kind. */
  readonly resources: ReadonlyMap<string, CompiledRows>;
  /** By principal id. */
  readonly principals: ReadonlyMap<string, CompiledPrincipal>;
  /** By role. A policy without rules is not among them: it restricts nothing. */
  readonly roles: ReadonlyMap<string, CompiledRole>;
}

export interface RuleTable {
  /** Scopes of resource and role policies of whatever kind and version; of principal policies (reference §2.7). */
  readonly resourceScopes: ReadonlySet<string>;
  readonly principalScopes: ReadonlySet<string>;
  readonly schemas: SchemaTable;
  readonly scopePermissions: ReadonlyMap<string, ScopePermissions>;
  /** By version, then by scope: see {@link rulesAt}. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, PlaceRules>>;
  /** By version, then by scope: see {@link includedAt}. */
  readonly included: ReadonlyMap<string, ReadonlyMap<string, IncludedRoles>>;
}

/** `observer` is told what checks reach. */
export function compileTable(model: PolicyModel, onError: OnError, observer?: Observer): RuleTable {
  const { principalPolicies, rolePolicies } = model;
  return {
    resourceScopes: resourceScopesOf(model),
    principalScopes: new Set(principalPolicies.map((policy) => policy.scope)),
    schemas: compileSchemas(model),
    scopePermissions: model.scopePermissions,
    places: compilePlaces(model, onError, observer),
    included: includedRoles(rolePolicies),
  };
}

/** The policies of a version and scope; undefined if there are none. */
export function rulesAt({ places }: Pick<RuleTable, "places">, version: string, scope: string): PlaceRules | undefined {
  return places.get(version)?.get(scope);
}

/** Whether a principal policy or a role policy has a rule about a kind. */
export function isAboutKind({ rows }: CompiledPrincipal | CompiledRole, kind: string): boolean {
  return rows.some((row) => row.matchesKind(kind));
}

const NO_ROLES: PlaceRules["roles"] = new Map();

/** The role policies of a place that restrict a kind: none where no rule, even one for somebody else, is about it. */
export function restrictionsOn({ resources, principals, roles }: PlaceRules, kind: string): PlaceRules["roles"] {
  if (roles.size === 0 || resources.has(kind)) return roles;
  for (const policies of [roles, principals]) {
    for (const policy of policies.values()) if (isAboutKind(policy, kind)) return roles;
  }
  return NO_ROLES;
}

/** Whether a scope of the chain has principal policies, whomever they are for. */
export function hasPrincipalPolicy(table: RuleTable, version: string, chain: readonly string[]): boolean {
  for (const scope of chain) {
    const rules = rulesAt(table, version, scope);
    if (rules !== undefined && rules.principals.size > 0) return true;
  }
  return false;
}

/** Whether a scope of the chain has a policy for the kind, or a role policy with a rule about it. */
export function hasResourcePolicy(table: RuleTable, version: string, chain: readonly string[], kind: string): boolean {
  for (const scope of chain) {
    const rules = rulesAt(table, version, scope);
    if (rules === undefined) continue;
    if (rules.resources.has(kind)) return true;
    for (const role of rules.roles.values()) if (isAboutKind(role, kind)) return true;
  }
  return false;
}

class OpenPlace implements PlaceRules {
  readonly resources = new Map<string, CompiledRows>();
  readonly principals = new Map<string, CompiledPrincipal>();
  readonly roles = new Map<string, CompiledRole>();
}

function compilePlaces(
  { resourcePolicies, principalPolicies, rolePolicies }: PolicyModel,
  onError: OnError,
  observer: Observer | undefined,
): RuleTable["places"] {
  const places = new Map<string, Map<string, OpenPlace>>();
  const placeOf = ({ version, scope }: { readonly version: string; readonly scope: string }): OpenPlace => {
    const scopes = places.get(version) ?? new Map<string, OpenPlace>();
    places.set(version, scopes);
    const place = scopes.get(scope) ?? new OpenPlace();
    scopes.set(scope, place);
    return place;
  };
  for (const policy of resourcePolicies) {
    placeOf(policy).resources.set(policy.resource, compileResource(policy, onError, observer));
  }
  for (const policy of principalPolicies) {
    placeOf(policy).principals.set(policy.name, compilePrincipal(policy, onError, observer));
  }
  for (const policy of rolePolicies) {
    if (policy.rules.length > 0) placeOf(policy).roles.set(policy.role, compileRole(policy, onError, observer));
  }
  return places;
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
  return {
    key: policy.key,
    rows,
    byAction: new ActionIndex(rows),
    derivedRoles: [...derivedRoles.values()],
    slots: compiler.slots.count,
  };
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
  return { key: policy.key, rows, byAction: new ActionIndex(rows), derivedRoles: [], slots: compiler.slots.count };
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

function compileRole(policy: RolePolicy, onError: OnError, observer: Observer | undefined): CompiledRole {
  const compiler = new PolicyCompiler(onError, observer);
  const rows = policy.rules.map((rule) => ({
    matchesKind: kindMatcher(rule.resource),
    ...matchers(rule.allowActions),
    check: compiler.condition(rule.condition, policy.definitions, rule.at),
  }));
  return { key: policy.key, rows, byAction: new ActionIndex(rows), slots: compiler.slots.count };
}

/** Every role that each role includes by role policies, however far up. */
export type IncludedRoles = ReadonlyMap<string, readonly string[]>;

/** What no policy's version is. */
const ANY_VERSION = "";

/**
 * What roles include in a scope. The server keeps one list of parents for a role in a scope, whatever the version: that
 * of whichever policy it loaded last. Here a policy of the request's version comes first; those of other versions count
 * where there is none.
 */
export function includedAt(
  { included }: Pick<RuleTable, "included">,
  version: string,
  scope: string,
): IncludedRoles | undefined {
  return (included.get(version) ?? included.get(ANY_VERSION))?.get(scope);
}

/** For the versions that role policies have, and under {@link ANY_VERSION} for all others. */
function includedRoles(policies: readonly RolePolicy[]): RuleTable["included"] {
  const scopes = grouped(policies.map((policy) => [policy.scope, policy]));
  const versions = new Set([ANY_VERSION, ...policies.map((policy) => policy.version)]);
  return new Map(
    [...versions].map((version) => [
      version,
      new Map([...scopes].map(([scope, all]) => [scope, closure(parentsIn(all, version))])),
    ]),
  );
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

/** Every role reachable from each, itself excepted, the nearest first and in the order in which they are listed. */
function closure(parents: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const role of parents.keys()) {
    const found = new Set<string>();
    const queue = [...(parents.get(role) ?? [])];
    for (const next of queue) {
      if (found.has(next) || next === role) continue;
      found.add(next);
      queue.push(...(parents.get(next) ?? []));
    }
    all.set(role, [...found]);
  }
  return all;
}
