/** The roles that roles include by role policies. */

import { grouped } from "../../policy/groups.js";
import type { RolePolicy } from "../../policy/model.js";

/** Every role that each role includes, itself excepted: the nearest first, and those equally near by name. */
export interface IncludedRoles {
  /** The roles that include others. */
  keys(): Iterable<string>;
  get(role: string): readonly string[] | undefined;
}

/**
 * What roles include in a scope. The server keeps one list of parents for a role in a scope, whatever the version: that
 * of whichever policy it loaded last. Here a policy of the request's version comes first; those of other versions count
 * where there is none.
 */
export function includedRoles(policies: readonly RolePolicy[]): (version: string, scope: string) => IncludedRoles {
  const scopes = grouped(policies, ({ scope }) => scope);
  const versions = new Set(policies.map((policy) => policy.version));
  const known = new Map<string, IncludedRoles>();
  return (version, scope) => {
    // Versions that no role policy has are alike.
    const key = `${versions.has(version) ? version : ""}\0${scopes.has(scope) ? scope : "\0"}`;
    const made = known.get(key) ?? new Ancestors(parentsIn(scopes.get(scope) ?? [], version));
    known.set(key, made);
    return made;
  };
}

/** The parents of each role of a scope, as a version has them. */
function parentsIn(policies: readonly RolePolicy[], version: string): ReadonlyMap<string, ReadonlySet<string>> {
  const parents = new Map<string, ReadonlySet<string>>();
  for (const [role, all] of grouped(policies, (policy) => policy.role)) {
    const own = all.filter((policy) => policy.version === version);
    parents.set(role, new Set((own.length > 0 ? own : all).flatMap((policy) => policy.parentRoles)));
  }
  return parents;
}

/** Found out for each role when it is asked for. */
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

  /** Level by level, so that the order in which parents are listed makes no difference. */
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
