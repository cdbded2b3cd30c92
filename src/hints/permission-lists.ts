/** The lists of a key that hold permissions, by the searches of all policies. */

import type { AnyPolicy } from "../policy/model.js";
import { BranchReader, type BranchSearch } from "./branches.js";
import { grantRulesOf } from "./grant-rules.js";
import { isPermissionList, ROLES } from "./list-search.js";

/** A search of a list, and the policy that makes it. */
export interface PolicySearch {
  readonly search: BranchSearch;
  readonly policy: AnyPolicy;
}

/** The searches of lists of permissions, by the name of the list (`attr.permissions`). Roles are none of them. */
export function permissionSearches(policies: readonly AnyPolicy[]): ReadonlyMap<string, readonly PolicySearch[]> {
  const reader = new BranchReader(() => true);
  const found = new Map<string, PolicySearch[]>();
  for (const policy of policies) {
    const parts = grantRulesOf([policy], reader).flatMap(({ branches }) => branches.flat());
    for (const { search } of parts) {
      if (search === undefined || search.list.name === ROLES.name) continue;
      const { name } = search.list;
      found.set(name, [...(found.get(name) ?? []), { search, policy }]);
    }
  }
  return new Map([...found].filter(([, all]) => isPermissionList(all.flatMap(({ search }) => search.texts))));
}
