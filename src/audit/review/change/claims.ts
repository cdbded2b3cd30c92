/** Claims and laws before and after a change of policies. */

import type { PolicySet } from "../../../decisions/policy-set.js";
import { type PolicyIssue, positionText } from "../../../policy/issue.js";
import { proveAll, proveClaims } from "../../../proof/claims/prove.js";
import type { Claim, Proved } from "../../../proof/claims/types.js";
import type { NoSolver } from "../../../solver/no-solver.js";
import type { Solver } from "../../../solver/solver.js";
import type { ClaimStanding, ReviewedClaim } from "../claim-types.js";

/** A policy set and the claims in its files. */
export interface ClaimedSet {
  readonly policies: PolicySet;
  readonly claims: readonly Claim[];
}

/** The results of claims; or the issues of the newer set's claims, in which case nothing was proved. */
export type ReviewedClaims =
  | { readonly kind: "reviewed"; readonly claims: readonly ReviewedClaim[] }
  | { readonly kind: "wrong"; readonly issues: readonly PolicyIssue[] };

/**
 * Proves the laws and the claims of a set. With an older set, the laws and the claims of both sets are proved for both
 * sets, including claims withdrawn from the newer files.
 */
export async function reviewClaims(
  after: ClaimedSet,
  before: ClaimedSet | undefined,
  solver: Solver | NoSolver | undefined,
): Promise<ReviewedClaims> {
  const proved = await proveAll(after.policies, after.claims, solver);
  if (proved.kind === "wrong") return proved;
  const laws = proved.claims.filter(({ position }) => position === "");
  const claims = proved.claims.filter(({ position }) => position !== "");
  if (before === undefined) {
    const stated = [...laws, ...claims].map((one) => ({
      ...headOf(one),
      listed: "stated" as const,
      after: standingOf(one),
    }));
    return { kind: "reviewed", claims: stated };
  }
  const older = await proveAll(before.policies, [], solver);
  const olderLaws = new Map(older.kind === "wrong" ? [] : older.claims.map((one) => [one.claim, one]));
  const known = new Set(before.claims.map(meaningOf));
  const kept = new Set(after.claims.map(meaningOf));
  const reviewed: ReviewedClaim[] = laws.map((law) => {
    const own = olderLaws.get(law.claim);
    return {
      ...headOf(law),
      listed: "stated",
      ...(own === undefined ? {} : { before: standingOf(own) }),
      after: standingOf(law),
    };
  });
  for (const [i, claim] of after.claims.entries()) {
    const own = claims[i];
    if (own === undefined) continue;
    reviewed.push({
      ...headOf(own),
      listed: known.has(meaningOf(claim)) ? "stated" : "added",
      before: await standing(before.policies, claim, solver),
      after: standingOf(own),
    });
  }
  for (const claim of before.claims.filter((one) => !kept.has(meaningOf(one)))) {
    reviewed.push({
      claim: claim.claim,
      position: positionText(claim.at),
      listed: "withdrawn",
      before: await standing(before.policies, claim, solver),
      after: await standing(after.policies, claim, solver),
    });
  }
  return { kind: "reviewed", claims: reviewed };
}

/** The result of a claim for a set that may not know the names in it. */
async function standing(
  policies: PolicySet,
  claim: Claim,
  solver: Solver | NoSolver | undefined,
): Promise<ClaimStanding> {
  const proved = await proveClaims(policies, [claim], solver);
  const [one] = proved.kind === "wrong" ? [] : proved.claims;
  if (one !== undefined) return standingOf(one);
  const issues = proved.kind === "wrong" ? proved.issues : [];
  return { result: "meaningless", why: issues.map(({ message }) => message).join("; ") };
}

function headOf({ claim, position }: Proved): Pick<ReviewedClaim, "claim" | "position"> {
  return { claim, position };
}

function standingOf({ result, why, request, changed, outcome }: Proved): ClaimStanding {
  return {
    result,
    why,
    ...(request === undefined ? {} : { request }),
    ...(changed === undefined ? {} : { changed }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** A string that is equal for claims with the same text and meaning, wherever they stand. */
function meaningOf({ claim, operations, kinds, assume, never }: Claim): string {
  const names = (list: Claim["operations"]) => list?.map(({ name }) => name) ?? null;
  return JSON.stringify([claim, names(operations), names(kinds), assume.map(({ source }) => source), never]);
}
