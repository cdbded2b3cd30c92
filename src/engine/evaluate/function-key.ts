/** For which conditions and outputs functions were generated: a name for them that is the same in every process. */

import type { PlannedRole, PlannedRule } from "../plan/plan.js";
import type { WantedLayer } from "./equipment.js";

/**
 * The schemas, then each condition as its place in its policy: a rule by its number, a derived role by its name. Then, in
 * lists of their own, the rules that have outputs, where the condition holds and where it does not.
 */
export function functionKey({ conditions, outputs, schemas }: WantedLayer): string {
  const places = byPolicy(conditions.map(({ what }) => what));
  const ruled = [true, false].map((when) => outputs.filter(({ ifHolds }) => ifHolds === when).map(({ rule }) => rule));
  const put = outputs.length === 0 ? [] : ruled.map(byPolicy);
  return JSON.stringify([schemas.principal ?? null, schemas.resource ?? null, places, ...put]);
}

/**
 * Each run of places in one policy as a list that begins with the policy. A policy's key has a place of its own, because
 * derived roles, too, can have the name of one.
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
