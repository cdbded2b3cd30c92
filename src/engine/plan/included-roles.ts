/** The roles that roles include by role policies. */

import type { RolePolicy } from "../../policy/model.js";

/** Every role that each role includes, itself excepted: the nearest first and in the order in which they are listed. */
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
