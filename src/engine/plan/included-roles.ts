/** The roles that each role includes, by the parent roles of role policies. */

import { grouped } from "../../policy/groups.js";
import type { RolePolicy } from "../../policy/model.js";

/** The roles that each role includes, without itself: the nearest first, equally near ones by name. */
export interface IncludedRoles {
  /** The roles that have a role policy. */
  keys(): Iterable<string>;
  get(role: string): readonly string[] | undefined;
}

/**
 * Returns the roles that each role includes in a scope. The server keeps one list of parents for a role in a scope,
 * regardless of the version: the list of the policy that it loaded last. Here the policies of the request's version
 * come first. Those of other versions count only if that version has none.
 */
export function includedRoles(policies: readonly RolePolicy[]): (version: string, scope: string) => IncludedRoles {
  const scopes = grouped(policies, ({ scope }) => scope);
  const versions = new Set(policies.map((policy) => policy.version));
  const known = new Map<string, IncludedRoles>();
  return (version, scope) => {
    // Versions and scopes without role policies share an entry.
    const key = `${versions.has(version) ? version : ""}\0${scopes.has(scope) ? scope : "\0"}`;
    const made = known.get(key) ?? new Ancestors(parentsIn(scopes.get(scope) ?? [], version));
    known.set(key, made);
    return made;
  };
}

/** The parents of each role of a scope, for a version. */
function parentsIn(policies: readonly RolePolicy[], version: string): ReadonlyMap<string, ReadonlySet<string>> {
  const parents = new Map<string, ReadonlySet<string>>();
  for (const [role, all] of grouped(policies, (policy) => policy.role)) {
    const own = all.filter((policy) => policy.version === version);
    parents.set(role, new Set((own.length > 0 ? own : all).flatMap((policy) => policy.parentRoles)));
  }
  return parents;
}

/** Computes the included roles of a role at their first use. */
class Ancestors implements IncludedRoles {
  private readonly parents: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly known = new Map<string, readonly string[]>();

  constructor(parents: ReadonlyMap<string, ReadonlySet<string>>) {
    this.parents = parents;
  }

  keys(): Iterable<string> {
    return this.parents.keys();
  }

  get(role: string): readonly string[] | undefined {
    if (!this.parents.has(role)) return undefined;
    const found = this.known.get(role) ?? this.ancestorsOf(role);
    this.known.set(role, found);
    return found;
  }

  /** Breadth first, so that the order in which parents are listed makes no difference. */
  private ancestorsOf(role: string): readonly string[] {
    const found = new Set<string>();
    for (let level = [role]; level.length > 0; ) {
      const next = new Set(level.flatMap((one) => [...(this.parents.get(one) ?? [])]));
      level = [...next].filter((one) => one !== role && !found.has(one)).sort();
      for (const one of level) found.add(one);
    }
    return [...found];
  }
}
