/** The key of the conditions and outputs that functions were generated for. It is the same in every process. */

import type { PlannedRole, PlannedRule } from "../plan/plan.js";
import type { FunctionRequest } from "./equipment.js";

/**
 * The schemas, then each condition by its location in its policy: a rule by its number, a derived role by its name. If
 * there are outputs, two lists of their rules follow: those for conditions that hold, and those for conditions that do
 * not.
 */
export function functionKey({ conditions, outputs, schemas }: FunctionRequest): string {
  const places = byPolicy(conditions.map(({ what }) => what));
  const ruled = [true, false].map((when) => outputs.filter(({ ifHolds }) => ifHolds === when).map(({ rule }) => rule));
  const put = outputs.length === 0 ? [] : ruled.map(byPolicy);
  return JSON.stringify([schemas.principal ?? null, schemas.resource ?? null, places, ...put]);
}

/**
 * Each run of entries in one policy as a list that begins with the policy's key. The key is an item of its own, because
 * a derived role can have the same name as a policy's key.
 */
function byPolicy(all: readonly (PlannedRule | PlannedRole)[]): readonly (readonly (string | number)[])[] {
  const runs: (string | number)[][] = [];
  let policy: string | undefined;
  for (const what of all) {
    if (what.policy !== policy) runs.push([what.policy]);
    policy = what.policy;
    runs.at(-1)?.push("order" in what ? what.order : what.name);
  }
  return runs;
}
