/** The review of a change: from an older set of policies to the one that is reviewed. */

import type { PolicySet } from "../../../decisions/policy-set.js";
import type { PolicyIssue } from "../../../policy/issue.js";
import type { NoSolver } from "../../../solver/no-solver.js";
import type { Solver } from "../../../solver/solver.js";
import { diffPolicies } from "../../diff/versions.js";
import type { Finding } from "../../findings/finding.js";
import type { ReviewedClaim } from "../claim-types.js";
import type { Review } from "../types.js";
import { writtenChanges } from "./text-changes.js";
import type { ChangeReview, FindingChanges } from "./types.js";

/** A set and the facts of its review. */
export interface ReviewedSet {
  readonly policies: PolicySet;
  readonly review: Review;
}

/** Compares two sets. Claims that no solver proves stay unproven. */
export async function reviewChange(
  before: ReviewedSet,
  after: ReviewedSet,
  claims: readonly ReviewedClaim[],
  unread: readonly PolicyIssue[],
  solver: Solver | NoSolver | undefined,
): Promise<ChangeReview> {
  return {
    before: before.review,
    decisions: await diffPolicies(before.policies, after.policies, solver),
    claims,
    findings: findingChanges(before.review.findings, after.review.findings),
    written: writtenChanges(
      { review: before.review, files: before.policies.files },
      { review: after.review, files: after.policies.files },
    ),
    unread,
  };
}

/** A finding is the same wherever in its file it stands. */
function findingChanges(before: readonly Finding[], after: readonly Finding[]): FindingChanges {
  return { new: without(after, before), gone: without(before, after) };
}

function without(all: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  const keyOf = ({ code, severity, message, hint, file }: Finding) =>
    JSON.stringify([code, severity, message, hint, file]);
  const left = new Map<string, number>();
  for (const one of others) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1);
  return all.filter((one) => {
    const count = left.get(keyOf(one)) ?? 0;
    left.set(keyOf(one), count - 1);
    return count <= 0;
  });
}
