/** The reason of a rule, in a word. */

import type { Rule } from "../../policy/model.js";

/** The reason in the verdicts that a rule decides (see `Reason.reason`). */
export function reasonOf(rule: Rule): string {
  const output = rule.output?.ruleActivated?.expr;
  return output?.kind === "literal" && typeof output.value === "string"
    ? output.value
    : (rule.derivedReason ?? rule.name);
}
