/** How often each role of a policy set has given an allow, over all keys. */

import type { TightenedKey } from "./key-tightening.js";
import { UseCount, type UseCounts } from "./use-count.js";

/** A role, and the sum of its uses by all keys. */
export interface UsedRole extends UseCounts {
  readonly role: string;
  /** The keys that have it. */
  readonly keys: number;
}

/** `named`: the roles that policies name. */
export function usedRoles(named: readonly string[], keys: readonly TightenedKey[]): readonly UsedRole[] {
  const all = new Map(named.map((role) => [role, { keys: 0, sum: new UseCount() }]));
  for (const { role, ...uses } of keys.flatMap(({ roleUses }) => roleUses)) {
    const found = all.get(role) ?? { keys: 0, sum: new UseCount() };
    found.keys += 1;
    found.sum.addAll(uses);
    all.set(role, found);
  }
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([role, { keys: count, sum }]) => ({ role, keys: count, ...sum.counts() }));
}
