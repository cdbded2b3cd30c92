/** What the service requires of policies, beyond that they are valid. */

import type { PolicyIssue, PolicySet } from "keyward";
import { type RuleRead, readsOfRules } from "keyward/audit";
import { VARIED } from "../operations/delegation.js";

/**
 * The permission rules that read values which the questions of `operations/delegation.ts` do not vary. By such a rule a
 * key could make another one that may do more than itself.
 */
export function requirements(policies: PolicySet): readonly PolicyIssue[] {
  return readsOfRules(policies)
    .filter((read) => read.layer === "permission" && !isVaried(read))
    .map(({ rule, root, path, file, line, column }) => ({
      file,
      line,
      column,
      severity: "error",
      code: "requirement",
      message: `rule ${rule} reads ${[root, ...path].join(".")}, so the service cannot tell which keys may make which`,
      hint: `permission rules may read of a resource: R.kind, R.id, ${[...VARIED].map((name) => `R.attr.${name}`).join(", ")}; state conditions belong to the platform layer`,
    }));
}

function isVaried({ root, path: [attribute] }: RuleRead): boolean {
  if (root === "R.attr") return attribute !== undefined && VARIED.has(attribute);
  return !FIXED.has(root);
}

/** The request and the resource as a whole, and the time: a question is asked at one moment. */
const FIXED: ReadonlySet<string> = new Set(["R", "request", "now()"]);
