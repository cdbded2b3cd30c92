/** Why a rule decides, in a word. */

import type { Rule } from "../../policy/model.js";

/** The reason that a rule gives when it decides (see `Reason.reason`). */
export function reasonOf(rule: Rule): string {
  const output = rule.output?.ruleActivated?.expr;
  return output?.kind === "literal" && typeof output.value === "string" ? output.value : rule.name;
}
