/** A decision suite, read: every fixture resolved, every case written out. */

import type { Outcome, PermissionRequest } from "../../decisions/types.js";
import type { FaultKind } from "../../engine/plan/verdict.js";
import type { Position } from "../../policy/issue.js";

/** The fixtures of a case by name, and the operation. */
export interface CaseNames {
  readonly case: string;
  readonly key: string;
  readonly operation: string;
  readonly resource: string;
  /** Absent where a permission-only set is asked and the case names none. */
  readonly account?: string;
}

/** What a test asks, in words to be shown side by side. */
export function namesOf({ key, operation, resource, account }: CaseNames): readonly string[] {
  return [key, operation, resource, ...(account === undefined ? [] : [account])];
}

export interface Expected {
  readonly outcome: Outcome;
  /** The reasons of the layer that decides: exactly these, in any order. */
  readonly reasons?: readonly string[];
  /** The same: these, and perhaps others. */
  readonly reasonsInclude?: readonly string[];
  /** The fault that the decision has. Without it, no question may be at fault. */
  readonly fault?: FaultKind;
}

/** One request, and what is expected of its decision. */
export interface DecisionTest extends CaseNames {
  /** Where the case stands. */
  readonly at: Position;
  /** Why it is not to run; undefined if it is. */
  readonly skipReason: string | undefined;
  /** Made when it is asked for: of thousands of tests, most are not kept. */
  request(): PermissionRequest;
  readonly expected: Expected;
}

export interface DecisionSuite {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  /** Why nothing of it is to run; undefined if it is. */
  readonly skipReason: string | undefined;
  readonly tests: readonly DecisionTest[];
}
