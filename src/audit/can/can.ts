/** The operations that a role or a key may perform: always, never or under conditions. */

import { decideAny } from "../../decisions/decide.js";
import { isUnknown } from "../../decisions/fault.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { PermissionRequest } from "../../decisions/types.js";
import { sanitise } from "../../policy/names.js";
import { KnownKey, outcomesFor } from "../../proof/ways/known-key.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { knownPermissions } from "../known-permissions.js";
import { type AskedRequests, expressionsOf, hasNoScopes, keyJson, UNSCOPED } from "../who/asked.js";
import { assumptionOf, type QuestionWays, type SearchLimits, searchWays } from "../who/search.js";
import type { OperationPower, WhatCan } from "./types.js";

/** The caller: a key that has one role and no other, or a known key. */
export type CanCaller =
  | { readonly role: string; readonly key?: undefined }
  | { readonly key: PermissionRequest["key"]; readonly role?: undefined };

export type CanOptions = CanCaller & SearchLimits & Pick<AskedRequests, "assume">;

/**
 * Finds the minimal ways in which a caller may perform each operation that the policies know. For a known
 * key, they are conditions on the resource and the account. If the solver does not prove a list complete, the result says
 * why. Without a solver, nothing is found.
 */
export async function whatCan(
  policies: PolicySet,
  solver: Solver | NoSolver | undefined,
  options: CanOptions,
): Promise<WhatCan> {
  const isUnscoped = hasNoScopes(policies);
  const { key, ...rest } = options;
  const asked = key === undefined ? rest : { ...rest, key: new KnownKey(keyJson(key)) };
  const found = await searchWays(policies, solver, asked, {
    about: { operations: undefined, kinds: undefined },
    isAsked: (set, { kind, operation }) => !isUnknown(set, sanitise(kind), operation),
    expressionsFor: () => (isUnscoped ? UNSCOPED : []),
  });
  if ("kind" in found) return found;
  const readsPermissions = knownPermissions(policies).length > 0;
  const operations: OperationPower[] = [];
  for (const one of found) {
    const by = readsPermissions && one.ways.ways.length > 0 ? await grantedBy(one, asked) : undefined;
    operations.push({ ...one.ways, can: powerOf(one), ...(by === undefined ? {} : { by }) });
  }
  return { kind: "answered", isUnscoped, operations };
}

function powerOf({ ways: { ways, unshown, result } }: QuestionWays): OperationPower["can"] {
  if (ways.some(({ when, told }) => when.length + told.length === 0)) return "always";
  if (ways.length + unshown.length > 0) return "conditionally";
  return result === "proved" ? "never" : "unknown";
}

/** Can the same caller do it with an empty list of permissions? Undefined: this is not known. */
async function grantedBy(
  { set, prover: make, solver, expressions }: QuestionWays,
  { role, key }: Pick<AskedRequests, "role" | "key">,
): Promise<OperationPower["by"]> {
  const prover = make();
  const bare = key?.withoutPermissions();
  const assumption =
    bare === undefined
      ? assumptionOf({ role }, set, [...expressions, ...NO_PERMISSIONS])
      : assumptionOf({ key: bare }, set, expressions);
  const { allow } = outcomesFor(prover, set, bare);
  const goal = prover.world.formulas.and(allow, ...assumption.formulasOf(prover));
  const isShown = (request: RequestJson) =>
    assumption.isMetBy(request) && decideAny(set, requestOf(request)).outcome === "allow";
  const variants = (request: RequestJson) => prover.completed(assumption.withKnown(request));
  const found = await prover.find(goal, solver, isShown, { isLikely: true, variants });
  if (found.kind === "unproven") return undefined;
  return found.kind === "none" ? "permissions" : "roles";
}

const NO_PERMISSIONS = expressionsOf(["key.attr.permissions == []"]);
