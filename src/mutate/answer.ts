/** The part of a decision that a test can expect: outcome, reasons and fault. */

import { decideAny } from "../decisions/decide.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Outcome } from "../decisions/types.js";
import type { FaultKind } from "../engine/plan/verdict.js";
import { type RequestJson, requestOf } from "../space/draft.js";

export interface MutantAnswer {
  readonly outcome: Outcome;
  /** The reasons of the layer that decided, sorted. */
  readonly reasons: readonly string[];
  readonly fault?: FaultKind;
}

export function answerOf(set: PolicySet, request: RequestJson): MutantAnswer {
  const { outcome, permission, platform, fault } = decideAny(set, requestOf(request));
  const { reasons } = outcome === "forbidden" ? platform : permission;
  return {
    outcome,
    reasons: [...new Set(reasons.map(({ reason }) => reason))].sort(),
    ...(fault === undefined ? {} : { fault: fault.kind }),
  };
}

/** Ways in which answers can differ. A difference of the outcome shows the most. */
export const DIFFERENCES = ["outcome", "reasons", "fault"] as const;

export type DifferenceKind = (typeof DIFFERENCES)[number];

export function differ(before: MutantAnswer, after: MutantAnswer, kind: DifferenceKind): boolean {
  return kind === "reasons"
    ? JSON.stringify(before.reasons) !== JSON.stringify(after.reasons)
    : before[kind] !== after[kind];
}
