/** The lists of a key that hold permissions, by the searches of all policies. */

import type { AnyPolicy } from "../policy/model.js";
import { BranchReader, type BranchSearch } from "./branches.js";
import { grantRulesOf } from "./grant-rules.js";
import { isPermissionList, ROLES, type SearchedText } from "./list-search.js";

/** The searches of lists of permissions, by the name of the list (`attr.permissions`). Roles are none of them. */
export function permissionSearches(policies: readonly AnyPolicy[]): ReadonlyMap<string, readonly BranchSearch[]> {
  const reader = new BranchReader(() => true);
  const found = new Map<string, BranchSearch[]>();
  for (const { branches } of grantRulesOf(policies, reader)) {
    for (const { search } of branches.flat()) {
      if (search === undefined || search.list.name === ROLES.name) continue;
      const { name } = search.list;
      found.set(name, [...(found.get(name) ?? []), search]);
    }
  }
  const texts = (searches: readonly BranchSearch[]): readonly SearchedText[] => searches.flatMap((one) => one.texts);
  return new Map([...found].filter(([, searches]) => isPermissionList(texts(searches))));
}
