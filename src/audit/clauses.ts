/**
 * The clause of a contract (of a law, of a ticket) that a rule keeps. Policies say so in `metadata.annotations`, which
 * Cerbos leaves to their authors:
 *
 *     metadata:
 *       annotations:
 *         keyward.clause: "7.4"                   # of every rule of the policy
 *         keyward.clause/quota_exceeded: "7.4.3"  # of the rule of that name, or the rules with that reason
 */

import { reasonOf } from "../engine/plan/reason.js";
import type { AnyPolicy, RolePolicyRule, Rule } from "../policy/model.js";

const CLAUSE = "keyward.clause";

/** The clause of a rule of `policy`; undefined if its annotations give none. */
export function clauseOf({ annotations }: AnyPolicy, rule: Rule | RolePolicyRule): string | undefined {
  const reason = "allowActions" in rule ? rule.name : reasonOf(rule);
  const clause =
    annotations.get(`${CLAUSE}/${rule.name}`) ?? annotations.get(`${CLAUSE}/${reason}`) ?? annotations.get(CLAUSE);
  return clause === "" ? undefined : clause;
}
