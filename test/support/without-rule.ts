/** Policies with a rule missing, to see what it decides. */

import type { PolicySet } from "../../src/index.js";
import type { PolicyDocuments } from "../reference/documents.js";
import { compiledDocuments } from "./policies.js";

/** For each rule, by policy and name, the policies without it, compiled when they are first wanted. */
export function* withoutEachRule(documents: PolicyDocuments): Generator<[string, () => PolicySet]> {
  for (const [i, document] of documents.entries()) {
    const { resourcePolicy: policy } = document;
    for (const [j, rule] of (policy?.rules ?? []).entries()) {
      if (policy === undefined) continue;
      let made: PolicySet | undefined;
      const rules = policy.rules?.toSpliced(j, 1) ?? [];
      const without = documents.toSpliced(i, 1, { ...document, resourcePolicy: { ...policy, rules } });
      yield [
        `resource.${policy.resource}.v${policy.version}#${rule.name}`,
        () => {
          made ??= compiledDocuments(without);
          return made;
        },
      ];
    }
  }
}
