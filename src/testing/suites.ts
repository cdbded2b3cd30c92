/** Test suites of policies, and coverage. Only `readSuiteDirectory` needs a file system. */

export { parseFilter, type TestFilter, type TestName } from "./cerbos/filter.js";
export type {
  ActionResults,
  Details,
  OutputEntry,
  OutputFailure,
  SuiteResults,
  Summary,
  TestCaseResults,
  TestResult,
  TestResults,
} from "./cerbos/results.js";
export type { Effect } from "./cerbos/suite.js";
export { lcovOf } from "./coverage/lcov.js";
export type { CoveragePoint, DerivedRolePoint, ExpressionPoint, RulePoint } from "./coverage/points.js";
export { type CoverageReport, type Goal, goalsOf, type Tally } from "./coverage/report.js";
export { coverageLines } from "./coverage/text.js";
export type { CaseDocument, DecisionSuiteDocument, Fixtures } from "./decisions/document.js";
export type { Actual, DecisionSuiteResults, DecisionTestResult } from "./decisions/results.js";
export type { CaseNames, Expected } from "./decisions/suite.js";
export { readSuiteDirectory } from "./directory.js";
export { isCerbosSuite, isDecisionSuite, type SuiteFiles } from "./files.js";
export { hasFailures, isAllLeftOut, type RunOptions, runSuites, type TestReport, testResults } from "./run.js";
