/** The lists of the key that the law of reduction shortens, and the lists that it leaves as they are. */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import { permissionListsOf } from "../../space/permission-lists.js";
import type { QuestionProver } from "../question-prover.js";

/** The lists of the key that the formulas of a closed prover search, by their names: `key.attr.permissions`. */
function searchedLists({ world }: QuestionProver): readonly string[] {
  const found: string[] = [];
  const visit = (raw: RawValue, name: string): void => {
    if (world.isSearched(raw)) found.push(name);
    for (const [field, member] of raw.members) visit(member, `${name}.${field}`);
  };
  visit(world.attributes("key"), "key.attr");
  return found;
}

/** The lists of the key by their names: lists of permissions, and others. */
export interface KeyLists {
  readonly permissions: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

export function keyLists(set: PolicySet, asked: readonly QuestionProver[]): KeyLists {
  for (const prover of asked) prover.close(set);
  const searched = asked.flatMap(searchedLists);
  const permissions = permissionListsOf(set);
  return {
    permissions: new Set(searched.filter((name) => permissions.has(name))),
    others: new Set(searched.filter((name) => !permissions.has(name))),
  };
}
