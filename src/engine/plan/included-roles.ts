/** The roles that roles include by role policies. */

import type { RolePolicy } from "../../policy/model.js";

/** Every role that each role includes, itself excepted: the nearest first, and those equally near by name. */
export type IncludedRoles = ReadonlyMap<string, readonly string[]>;

const NO_ROLES: IncludedRoles = new Map();

/** What no policy's version is. */
const ANY_VERSION = "";

/**
 * What roles include in a scope. The server keeps one list of parents for a role in a scope, whatever the version: that
 * of whichever policy it loaded last. Here a policy of the request's version comes first; those of other versions count
 * where there is none.
 */
export function includedRoles(policies: readonly RolePolicy[]): (version: string, scope: string) => IncludedRoles {
  const scopes = grouped(policies.map((policy) => [policy.scope, policy]));
  const versions = new Set([ANY_VERSION, ...policies.map((policy) => policy.version)]);
  const all = new Map(
    [...versions].map((version) => [
      version,
      new Map([...scopes].map(([scope, there]) => [scope, closure(parentsIn(there, version))])),
    ]),
  );
  return (version, scope) => (all.get(version) ?? all.get(ANY_VERSION))?.get(scope) ?? NO_ROLES;
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

function closure(parents: ReadonlyMap<string, ReadonlySet<string>>): IncludedRoles {
  return new Map([...parents.keys()].map((role) => [role, ancestors(role, parents)]));
}

/** Level by level, so that the order in which parents are listed makes no difference. */
function ancestors(role: string, parents: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const found = new Set<string>();
  for (let level = [role]; level.length > 0; ) {
    const next = new Set(level.flatMap((one) => [...(parents.get(one) ?? [])]));
    level = [...next].filter((one) => one !== role && !found.has(one)).sort();
    for (const one of level) found.add(one);
  }
  return [...found];
}
