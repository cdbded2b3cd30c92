/** A decision suite as read: fixtures resolved, cases expanded into tests. */

import type { Outcome, PermissionRequest } from "../../decisions/types.js";
import type { FaultKind } from "../../engine/plan/verdict.js";
import type { SourcePosition } from "../../policy/issue.js";

/** The fixtures of a test by name, and its operation. */
export interface CaseNames {
  readonly case: string;
  readonly key: string;
  readonly operation: string;
  readonly resource: string;
  /** Absent if the set is permission-only and the case names no account. */
  readonly account?: string;
}

/** The names of a test, to be shown side by side. */
export function namesOf({ key, operation, resource, account }: CaseNames): readonly string[] {
  return [key, operation, resource, ...(account === undefined ? [] : [account])];
}

export interface ExpectedDecision {
  readonly outcome: Outcome;
  /** The reasons of the deciding layer: exactly these, in any order. */
  readonly reasons?: readonly string[];
  /** Reasons that the deciding layer must give; it may give others. */
  readonly reasonsInclude?: readonly string[];
  /** The expected fault. Without it, the request itself must not be at fault. */
  readonly fault?: FaultKind;
}

/** One request, and the expectations for its decision. */
export interface DecisionTest extends CaseNames {
  /** The position of the case. */
  readonly at: SourcePosition;
  /** The reason to skip the test; undefined if it runs. */
  readonly skipReason: string | undefined;
  /** Whether its attributes may violate the schemas. */
  readonly damaged: boolean;
  /** Creates the request. It is not stored, since a suite can have a million tests. */
  request(): PermissionRequest;
  readonly expected: ExpectedDecision;
}

export interface DecisionSuite {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  /** The reason to skip the whole suite; undefined if it runs. */
  readonly skipReason: string | undefined;
  readonly tests: readonly DecisionTest[];
}
