/**
 * Chooses the hints that can be given without telling anything of the resource, where ways differ in the tests of the
 * resource that they leave. The choice is made from the plans of the operation with each hint, for a resource of which
 * the kind, the id and the scope are known.
 */

import { NO_ACCOUNT } from "../decisions/decide.js";
import { planDecisions } from "../decisions/plan-decisions.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { PermissionRequest } from "../decisions/types.js";
import type { Filter } from "../engine/residual/filter.js";
import type { HintedKey } from "./hinted-key.js";

/** Further candidates are left out. */
const MAX_PLANNED = 32;

interface Planned {
  readonly candidate: HintedKey;
  /** The tests of the resource that are left, all of which must hold. */
  readonly tests: ReadonlySet<string>;
}

/**
 * Of the candidates that are enough for some resource with the id, those that leave the same tests, and as few as
 * possible. A candidate that includes another one of these is left out. Attributes of the resource have no part in it:
 * the invariant "hints tell nothing of the resource".
 */
export function leastTests(
  policies: PolicySet,
  request: PermissionRequest,
  candidates: readonly HintedKey[],
): readonly HintedKey[] {
  const planned = candidates
    .slice(0, MAX_PLANNED)
    .flatMap((candidate) => plannedOf(policies, request, candidate) ?? []);
  const least = planned.filter((one) => !planned.some((other) => other !== one && isMore(one, other)));
  let [chosen] = least;
  for (const other of least) if (chosen !== undefined && isFewer(other.tests, chosen.tests)) chosen = other;
  if (chosen === undefined) return [];
  const { tests } = chosen;
  return least.filter((one) => one.tests.size === tests.size && hasAll(tests, one.tests)).map((one) => one.candidate);
}

function isMore(one: Planned, other: Planned): boolean {
  return one.candidate.includes(other.candidate) && !other.candidate.includes(one.candidate);
}

function isFewer(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size < others.size && hasAll(others, some);
}

function hasAll(all: ReadonlySet<string>, some: ReadonlySet<string>): boolean {
  return [...some].every((one) => all.has(one));
}

function plannedOf(policies: PolicySet, request: PermissionRequest, candidate: HintedKey): Planned | undefined {
  const { operation, account = NO_ACCOUNT, now, resource } = request;
  const { kind, id, scope } = resource;
  const known = { id, ...(scope === undefined ? {} : { scope }) };
  const plan = planDecisions(policies, {
    key: candidate.key,
    operation,
    kind,
    resource: known,
    account,
    ...(now === undefined ? {} : { now }),
  });
  return plan.outcome === "none" ? undefined : { candidate, tests: new Set(testsOf(plan.filter)) };
}

let numbered = 0;

/** A filter's tests as texts. Tests of types and of presence hold of every resource that fits its schema. */
function testsOf(filter: Filter): readonly string[] {
  if (filter.op === "all") return filter.of.flatMap(testsOf);
  if (filter.op === "present" || filter.op === "type") return [];
  numbered += 1;
  // An expression, or a filter that is not known, is equal to no other.
  return [isComparable(filter) ? JSON.stringify(filter) : `other ${numbered}`];
}

function isComparable(filter: Filter): boolean {
  switch (filter.op) {
    case "all":
    case "any":
      return filter.of.every(isComparable);
    case "not":
      return isComparable(filter.of);
    case "some":
    case "every":
      return isComparable(filter.where);
    default:
      return filter.op !== "expression" && filter.op !== "unknown";
  }
}
