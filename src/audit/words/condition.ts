/** Conditions of rules in plain words. */

import type { Condition } from "../../policy/model.js";
import { type Subjects, wordsOf } from "./expression.js";
import { group, type Words } from "./phrase.js";

/** `all` and `any` of one are that one; members of `none` stay unchanged, so that they can be read as "unless". */
export function conditionWords(condition: Condition, subjects: Subjects): Words {
  if (condition.kind === "expr") return wordsOf(condition.expr, subjects);
  const of = condition.of.map((each) => conditionWords(each, subjects));
  return condition.kind === "none" ? { kind: "none", of } : group(condition.kind, of);
}
