/** Removes one rule from the policies, to show its effect on decisions. */

import type { PolicySet } from "../../src/index.js";
import type { PolicyDocuments } from "../reference/documents.js";
import { compiledDocuments } from "./policies.js";

/**
 * Rules that only add a reason. No rule allows their operations, so without these rules the operations are still
 * refused, as `not_available`.
 */
const NEVER_DECISIVE: ReadonlySet<string> = new Set([
  "resource.key.vplatform#delete_protected",
  "resource.workspace.vplatform#out_of_sequence",
  "resource.workspace.vplatform#quota_exceeded.create_workspace",
]);

/** For each other rule, by policy and name: the policies without it, compiled at first use. */
export function* withoutEachRule(documents: PolicyDocuments): Generator<[string, () => PolicySet]> {
  for (const [i, document] of documents.entries()) {
    const { resourcePolicy: policy } = document;
    for (const [j, rule] of (policy?.rules ?? []).entries()) {
      if (policy === undefined) continue;
      const name = `resource.${policy.resource}.v${policy.version}#${rule.name}`;
      if (NEVER_DECISIVE.has(name)) continue;
      let made: PolicySet | undefined;
      const rules = policy.rules?.toSpliced(j, 1) ?? [];
      const without = documents.toSpliced(i, 1, { ...document, resourcePolicy: { ...policy, rules } });
      yield [
        name,
        () => {
          made ??= compiledDocuments(without);
          return made;
        },
      ];
    }
  }
}
