/** What a role can do: operation by operation, always, never or under conditions. */

import { decideAny } from "../../decisions/decide.js";
import { isUnknown } from "../../decisions/fault.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { sanitise } from "../../policy/names.js";
import { Assumption } from "../../proof/ways/assumption.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { knownPermissions } from "../known-permissions.js";
import { type AskedRequests, expressionsOf } from "../who/asked.js";
import { type QuestionWays, type SearchLimits, searchWays } from "../who/search.js";
import type { OperationPower, WhatCan } from "./types.js";

export interface CanOptions extends SearchLimits, Pick<AskedRequests, "assume"> {
  /** The key has this role and no other. */
  readonly role: string;
}

/**
 * What a key with one role can do with every operation that the policies know: the minimal ways in which
 * it is allowed. If the solver does not prove a list complete, the result says why. Without a solver, nothing is found.
 */
export async function whatCan(
  policies: PolicySet,
  solver: Solver | NoSolver | undefined,
  options: CanOptions,
): Promise<WhatCan> {
  const isUnscoped = hasNoScopes(policies);
  const unscoped = expressionsOf(['resource.scope == ""', 'account.scope == ""']);
  const found = await searchWays(policies, solver, options, {
    about: { operations: undefined, kinds: undefined },
    isAsked: (set, { kind, operation }) => !isUnknown(set, sanitise(kind), operation),
    expressionsFor: () => (isUnscoped ? unscoped : []),
  });
  if ("kind" in found) return found;
  const readsPermissions = knownPermissions(policies).length > 0;
  const operations: OperationPower[] = [];
  for (const one of found) {
    const by = readsPermissions && one.ways.ways.length > 0 ? await grantedBy(one) : undefined;
    operations.push({ ...one.ways, can: powerOf(one), ...(by === undefined ? {} : { by }) });
  }
  return { kind: "answered", isUnscoped, operations };
}

function powerOf({ ways: { ways, unshown, result } }: QuestionWays): OperationPower["can"] {
  if (ways.some(({ when, told }) => when.length + told.length === 0)) return "always";
  if (ways.length + unshown.length > 0) return "conditionally";
  return result === "proved" ? "never" : "unknown";
}

function hasNoScopes({ model }: PolicySet): boolean {
  const { resourcePolicies, principalPolicies, rolePolicies } = model;
  return [...resourcePolicies, ...principalPolicies, ...rolePolicies].every(({ scope }) => scope === "");
}

/** Can the same caller do it with an empty list of permissions? Undefined: this is not known. */
async function grantedBy({ set, prover: make, solver, assumption }: QuestionWays): Promise<OperationPower["by"]> {
  const prover = make();
  const { allow } = prover.outcomes(set);
  const noPermissions = new Assumption(expressionsOf(["key.attr.permissions == []"]));
  const both = [assumption, noPermissions];
  const goal = prover.world.formulas.and(allow, ...both.flatMap((one) => one.formulasOf(prover)));
  const isShown = (request: RequestJson) =>
    both.every((one) => one.isMetBy(request)) && decideAny(set, requestOf(request)).outcome === "allow";
  const variants = (request: RequestJson) => prover.completed(assumption.withRoles(request));
  const found = await prover.find(goal, solver, isShown, { isLikely: true, variants });
  if (found.kind === "unproven") return undefined;
  return found.kind === "none" ? "permissions" : "roles";
}
