/** The questions that policies can be asked, for which functions are generated ahead of time. */

import type { Layer } from "../engine/evaluate/layer.js";
import { makePlan } from "../engine/plan/make-plan.js";
import type { Place } from "../engine/plan/place.js";
import type { Plan } from "../engine/plan/plan.js";
import { rulesOn } from "../engine/plan/plans.js";

/** A name that no policy has. */
const NOBODY = "";

/** With more roles than this, functions are for principals of one role alone. */
const MAX_PAIRED = 4;

/**
 * The plans of a layer, as far as names say which there are: every kind and every action that policies name, and one that
 * none names; every single role, and where there are few each two; principals that have policies, and one that has none.
 */
export function* plansOf(layer: Layer): Generator<Plan, void> {
  const { index } = layer;
  for (const place of placesOf(layer)) {
    const { version, principalChain, resourceChain } = place;
    const kinds = new Set(resourceChain.flatMap((scope) => [...(index.at(version, scope)?.resources.keys() ?? [])]));
    const ids = new Set(principalChain.flatMap((scope) => [...(index.at(version, scope)?.principals.keys() ?? [])]));
    for (const kind of [...kinds].sort()) {
      for (const principalId of [NOBODY, ...[...ids].sort()]) {
        const { actions, roles } = rulesOn(index, place, principalId, kind);
        for (const action of [...[...actions].sort(), NOBODY]) {
          for (const some of roleSets([...roles].sort())) {
            yield makePlan(index, place, { kind, action, principalId, roles: some });
          }
        }
      }
    }
  }
}

/** With a principal at the root, and with one in the resource's scope. */
function placesOf(layer: Layer): readonly Place[] {
  const scopes = ["", ...[...layer.index.resourceScopes].filter((scope) => scope !== "").sort()];
  return [
    ...scopes.map((scope) => layer.placeOf("", scope)),
    ...scopes.filter((scope) => scope !== "").map((scope) => layer.placeOf(scope, scope)),
  ];
}

function roleSets(roles: readonly string[]): readonly (readonly string[])[] {
  const pairs = roles.flatMap((one, i) => roles.slice(i + 1).map((other) => [one, other]));
  return [[NOBODY], ...roles.map((role) => [role]), ...(roles.length <= MAX_PAIRED ? pairs : [])];
}
