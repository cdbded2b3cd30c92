/** The questions for which a bundle gets generated functions. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Layer } from "../engine/evaluate/layer.js";
import type { PlanPair } from "../engine/evaluate/plan-pair.js";
import { rulesOn } from "../engine/plan/plans.js";
import type { PolicyLocation } from "../engine/plan/policy-location.js";

/** A name that no policy uses. */
const NOBODY = "";

/** Above this number of roles, functions are generated only for principals with one role. */
const MAX_PAIRED = 4;

/**
 * The plans for all questions that can be told from names in the policies. They combine:
 *
 * - every kind;
 * - every action that policies name, and one that none names;
 * - every single role, and every pair of roles if there are few;
 * - every principal with a policy of its own, and one without.
 */
export function* planPairsOf({ permission, platform, tables }: PolicySet): Generator<PlanPair, void> {
  for (const [keyScope, resourceScope] of scopesOf(permission, platform)) {
    const keyPlace = permission.placeOf(keyScope, resourceScope);
    const wall = platform?.placeOf("", resourceScope);
    for (const kind of namesIn([kindsOf(permission, keyPlace), platform && wall && kindsOf(platform, wall)])) {
      const accounts = platform && wall ? idsOf(platform, wall) : [NOBODY];
      const supported = platform && wall && rulesOn(platform.index, wall, NOBODY, kind).actions;
      for (const id of idsOf(permission, keyPlace)) {
        const { actions, roles } = rulesOn(permission.index, keyPlace, id, kind);
        for (const action of [...namesIn([actions, supported]), NOBODY]) {
          for (const some of roleSets([...roles].sort())) {
            const key = { id, roles: some, attr: {}, scope: keyScope };
            const resource = { kind, id: NOBODY, attr: {}, scope: resourceScope };
            for (const one of accounts) {
              const account = { id: one, roles: ["account"], attr: {}, scope: "" };
              yield tables.find(key, account, resource, action).plans;
            }
          }
        }
      }
    }
  }
}

/** Each resource scope twice: with the key at the root, and with the key in the same scope. */
function scopesOf(permission: Layer, platform: Layer | undefined): readonly (readonly [string, string])[] {
  const all = namesIn([permission.index.resourceScopes, platform?.index.resourceScopes]);
  const scopes = ["", ...all.filter((scope) => scope !== "")];
  return [
    ...scopes.map((scope) => ["", scope] as const),
    ...scopes.filter((scope) => scope !== "").map((scope) => [scope, scope] as const),
  ];
}

function kindsOf({ index }: Layer, { version, resourceChain }: PolicyLocation): Iterable<string> {
  return resourceChain.flatMap((scope) => [...(index.at(version, scope)?.resources.keys() ?? [])]);
}

/** The ids of principals with policies, and one id without. */
function idsOf({ index }: Layer, { version, principalChain }: PolicyLocation): readonly string[] {
  const ids = principalChain.flatMap((scope) => [...(index.at(version, scope)?.principals.keys() ?? [])]);
  return [NOBODY, ...namesIn([ids])];
}

function namesIn(lists: readonly (Iterable<string> | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => [...(list ?? [])]))].sort();
}

function roleSets(roles: readonly string[]): readonly (readonly string[])[] {
  const pairs = roles.flatMap((one, i) => roles.slice(i + 1).map((other) => [one, other]));
  return [[NOBODY], ...roles.map((role) => [role]), ...(roles.length <= MAX_PAIRED ? pairs : [])];
}
