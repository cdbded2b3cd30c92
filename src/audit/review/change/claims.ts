/** Claims and laws before and after a change of policies. */

import type { PolicySet } from "../../../decisions/policy-set.js";
import { type PolicyIssue, positionText } from "../../../policy/issue.js";
import { proveAll, proveClaims } from "../../../proof/claims/prove.js";
import type { Claim, Proved } from "../../../proof/claims/types.js";
import type { NoSolver } from "../../../solver/no-solver.js";
import type { Solver } from "../../../solver/solver.js";
import type { ClaimStanding, ReviewedClaim } from "../claim-types.js";
import type { UncheckedClaim } from "../types.js";

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
  const olderLaws = new Map(older.kind === "wrong" ? [] : older.claims.map((one) => [headOf(one).claim, one]));
  const known = new Set(before.claims.map(meaningOf));
  const kept = new Set(after.claims.map(meaningOf));
  const reviewed: ReviewedClaim[] = laws.map((law) => {
    const own = olderLaws.get(headOf(law).claim);
    return {
      ...headOf(law),
      listed: "stated",
      ...(own === undefined ? {} : { before: standingOf(own) }),
      after: standingOf(law),
    };
  });
  for (const claim of after.claims) {
    const listed = known.has(meaningOf(claim)) ? "stated" : "added";
    const earlier = await standings(before.policies, claim, solver);
    for (const own of claims.filter(({ position }) => position === positionText(claim.at))) {
      const same = earlier.find(({ version }) => version === own.version) ?? NOT_MEANT;
      reviewed.push({ ...headOf(own), listed, before: same.standing, after: standingOf(own) });
    }
  }
  for (const claim of before.claims.filter((one) => !kept.has(meaningOf(one)))) {
    const [earlier, later] = [
      await standings(before.policies, claim, solver),
      await standings(after.policies, claim, solver),
    ];
    for (const version of new Set([...earlier, ...later].map((one) => one.version))) {
      const of = (all: typeof earlier) => all.find((one) => one.version === version) ?? NOT_MEANT;
      reviewed.push({
        ...headOf({ claim: claim.claim, version, position: positionText(claim.at) }),
        listed: "withdrawn",
        before: of(earlier).standing,
        after: of(later).standing,
      });
    }
  }
  return { kind: "reviewed", claims: reviewed };
}

/** The laws that the text of the policies proves, without a solver; and those that need a proof. */
export async function lawsByText(
  policies: PolicySet,
): Promise<{ readonly laws: readonly ReviewedClaim[]; readonly unchecked: readonly UncheckedClaim[] }> {
  const reviewed = await reviewClaims({ policies, claims: [] }, undefined, undefined);
  const all = reviewed.kind === "wrong" ? [] : reviewed.claims;
  const isProved = ({ after }: ReviewedClaim) => after.result === "proved";
  return { laws: all.filter(isProved), unchecked: all.filter((law) => !isProved(law)).map(headOf) };
}

/** The result of a claim for one version of the policies. */
interface VersionStanding {
  readonly version: string | undefined;
  readonly standing: ClaimStanding;
}

const NOT_MEANT: VersionStanding = {
  version: undefined,
  standing: { result: "meaningless", why: "there is no policy of this version that knows the operations" },
};

/** The results of a claim for a set that may not know the names in it, version by version. */
async function standings(
  policies: PolicySet,
  claim: Claim,
  solver: Solver | NoSolver | undefined,
): Promise<readonly VersionStanding[]> {
  const proved = await proveClaims(policies, [claim], solver);
  if (proved.kind === "proved")
    return proved.claims.map((one) => ({ version: one.version, standing: standingOf(one) }));
  const why = proved.issues.map(({ message }) => message).join("; ");
  return [{ version: undefined, standing: { result: "meaningless", why } }];
}

function headOf({
  claim,
  version,
  position,
}: Pick<Proved, "claim" | "position"> & { readonly version?: string | undefined }): Pick<
  ReviewedClaim,
  "claim" | "position"
> {
  return { claim: version === undefined ? claim : `${claim} (policies of version ${version})`, position };
}

function standingOf({ result, why, assumes, request, changed, outcome }: Proved): ClaimStanding {
  return {
    result,
    why: result === "proved" && assumes !== undefined ? `${why}, assuming ${assumes.join(", ")}` : why,
    ...(request === undefined ? {} : { request }),
    ...(changed === undefined ? {} : { changed }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** A string that is equal for claims with the same text and meaning, wherever they stand. */
function meaningOf({ claim, operations, kinds, assume, form }: Claim): string {
  const asked = [names(operations), names(kinds), assume.expressions.map(({ source }) => source), assume.isValid];
  return JSON.stringify([claim, ...asked, form], (key, value: unknown) => (key === "at" ? undefined : value));
}

function names(list: Claim["operations"]): readonly string[] | null {
  return list?.map(({ name }) => name) ?? null;
}
