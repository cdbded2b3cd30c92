/** For which conditions and outputs a function was generated: a name for them that is the same in every process. */

import type { Part } from "../generate/written.js";
import type { PlannedRole, PlannedRule } from "../plan/plan.js";
import type { Wanted, WantedLayer } from "./equipment.js";

/**
 * What the layers want, one after the other; whether the function can be asked for some of it; and the parts that are
 * bound, where it is in two stages.
 */
export function functionKey({ layers, some }: Wanted, bound: ReadonlySet<Part> = new Set()): string {
  return JSON.stringify([...layers.map(placesOf), some !== undefined, ...bound]);
}

/**
 * The schemas, then each condition as its place in its policy: a rule by its number, a derived role by its name. The
 * policy is written where it is another than that of the condition before. Then, in lists of their own, the rules that have
 * outputs, where the condition holds and where it does not.
 */
function placesOf({ conditions, outputs, schemas }: WantedLayer): readonly unknown[] {
  const places = namesOf(conditions.map(({ what }) => what));
  const ruled = [true, false].map((when) => outputs.filter(({ ifHolds }) => ifHolds === when).map(({ rule }) => rule));
  const put = outputs.length === 0 ? [] : ruled.map(namesOf);
  return [schemas.principal ?? null, schemas.resource ?? null, ...places, ...put];
}

function namesOf(all: readonly (PlannedRule | PlannedRole)[]): readonly (string | number)[] {
  let policy = "";
  return all.flatMap((what) => {
    const place = "order" in what ? what.order : what.name;
    if (what.policy === policy) return [place];
    policy = what.policy;
    return [policy, place];
  });
}
