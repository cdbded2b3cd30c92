/** The results of decision suites. */

import type { Decision, Outcome, PermissionRequest } from "../../decisions/types.js";
import type { Reason, WiringFault } from "../../engine/plan/verdict.js";
import type { PolicyIssue, SourcePosition } from "../../policy/issue.js";
import type { TestResult, TestSummary } from "../cerbos/results.js";
import type { CaseNames, ExpectedDecision } from "./suite.js";

/** The parts of a decision that suites can expect. */
export interface ActualDecision {
  readonly outcome: Outcome;
  /** The reasons of the layer that decided: for `forbidden` the platform layer, otherwise the permission layer. */
  readonly reasons: readonly Reason[];
  /** The fault of the decision: in the request, the data or the policies. */
  readonly fault?: WiringFault;
}

export interface DecisionTestResult extends CaseNames {
  /** The position of the case. */
  readonly at: SourcePosition;
  readonly result: TestResult;
  readonly skipReason?: string;
  readonly expected: ExpectedDecision;
  /** Absent if the test was skipped or not run. */
  readonly actual?: ActualDecision;
  /** Why the schemas do not allow the attributes; then the test was not run. Absent: they do. */
  readonly problems?: readonly string[];
  /** The request and its decision, if the test failed. */
  readonly failure?: { readonly request: PermissionRequest; readonly decision: Decision };
}

export interface DecisionSuiteResults {
  readonly file: string;
  /** `Unknown` if the file is not a suite. */
  readonly name: string;
  readonly description?: string;
  readonly summary: TestSummary;
  readonly skipReason?: string;
  readonly tests: readonly DecisionTestResult[];
  /** Faults of the suite or its fixtures. If there are any, none of its tests was run. */
  readonly issues: readonly PolicyIssue[];
}
