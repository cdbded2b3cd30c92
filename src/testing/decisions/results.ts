/** What came of decision suites. */

import type { Decision, Outcome, PermissionRequest } from "../../decisions/types.js";
import type { Reason, WiringFault } from "../../engine/plan/verdict.js";
import type { PolicyIssue, Position } from "../../policy/issue.js";
import type { Summary, TestResult } from "../cerbos/results.js";
import type { CaseNames, Expected } from "./suite.js";

/** What a decision was, as far as suites can expect something of it. */
export interface Actual {
  readonly outcome: Outcome;
  /** Why: of the layer that decided, which is the platform's where the outcome is `forbidden`. */
  readonly reasons: readonly Reason[];
  /** What was at fault, if the question, the data or the policies were. */
  readonly fault?: WiringFault;
}

export interface DecisionTestResult extends CaseNames {
  /** Where the case stands. */
  readonly at: Position;
  readonly result: TestResult;
  readonly skipReason?: string;
  readonly expected: Expected;
  /** Absent where the test was skipped. */
  readonly actual?: Actual;
  /** The request and its decision, where the test failed. */
  readonly failure?: { readonly request: PermissionRequest; readonly decision: Decision };
}

export interface DecisionSuiteResults {
  readonly file: string;
  /** `Unknown` if the file is no suite at all. */
  readonly name: string;
  readonly description?: string;
  readonly summary: Summary;
  readonly skipReason?: string;
  readonly tests: readonly DecisionTestResult[];
  /** What is wrong with the suite or its fixtures; then none of its tests was run. */
  readonly issues: readonly PolicyIssue[];
}
