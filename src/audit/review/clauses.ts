/**
 * The clause of a contract (of a law, of a ticket) that a rule keeps. Policies say so in `metadata.annotations`, which
 * Cerbos leaves to their authors:
 *
 *     metadata:
 *       annotations:
 *         keyward.clause: "7.4"                   # of every rule of the policy
 *         keyward.clause/quota_exceeded: "7.4.3"  # of the rule of that name, or the rules with that reason
 */

interface Annotated {
  readonly annotations: ReadonlyMap<string, string>;
}

const CLAUSE = "keyward.clause";

export function clauseOf({ annotations }: Annotated, rule: string, reason: string): string | undefined {
  const clause =
    annotations.get(`${CLAUSE}/${rule}`) ?? annotations.get(`${CLAUSE}/${reason}`) ?? annotations.get(CLAUSE);
  return clause === "" ? undefined : clause;
}
