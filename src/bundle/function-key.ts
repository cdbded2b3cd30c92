/** For which conditions a function was generated: a name for them that is the same in every process. */

import type { Wanted, WantedLayer } from "../engine/evaluate/equipment.js";

/** What the layers want, one after the other. */
export function functionKey({ layers }: Wanted): string {
  return JSON.stringify(layers.map(placesOf));
}

/**
 * The schemas, then each condition as its place in its policy: a rule by its number, a derived role by its name. The
 * policy is written where it is another than that of the condition before.
 */
function placesOf({ conditions, schemas }: WantedLayer): readonly unknown[] {
  let policy = "";
  const places = conditions.map(({ what }) => {
    const place = "order" in what ? what.order : what.name;
    if (what.policy === policy) return [place];
    policy = what.policy;
    return [policy, place];
  });
  return [schemas.principal ?? null, schemas.resource ?? null, ...places.flat()];
}
