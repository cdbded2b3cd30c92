/** The service's own requirements of policies, beyond their validity. */

import type { PolicyIssue, PolicySet } from "keyward";
import { type RuleRead, readsOfRules } from "keyward/audit";
import { VARIED } from "../operations/delegation.js";

/**
 * An issue for each permission rule that reads a value which the requests of `operations/delegation.ts` do not vary.
 * With such a rule, a key could create a key with more powers than its own.
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

/** Values that are safe to read: the request and the resource as a whole, and the time, which all questions share. */
const FIXED: ReadonlySet<string> = new Set(["R", "request", "now()"]);
