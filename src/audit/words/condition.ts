/** Conditions of rules in plain words. */

import type { Condition } from "../../policy/model.js";
import { type WordingContext, wordsOf } from "./expression.js";
import { type ConditionWords, group } from "./phrase.js";

/** `all` and `any` of one are that one; members of `none` stay unchanged, so that they can be read as "unless". */
export function conditionWords(condition: Condition, subjects: WordingContext): ConditionWords {
  if (condition.kind === "expr") return wordsOf(condition.expr, subjects);
  const of = condition.of.map((each) => conditionWords(each, subjects));
  return condition.kind === "none" ? { kind: "none", of } : group(condition.kind, of);
}
