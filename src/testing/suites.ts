/** Test suites of policies, and coverage. Only `readSuiteDirectory` needs a file system. */

export { parseFilter, type TestFilter, type TestName } from "./cerbos/filter.js";
export type {
  ActionResults,
  OutputEntry,
  OutputFailure,
  SuiteResults,
  TestCaseResults,
  TestDetails,
  TestResult,
  TestResults,
  TestSummary,
} from "./cerbos/results.js";
export type { TestedEffect } from "./cerbos/suite.js";
export { lcovOf } from "./coverage/lcov.js";
export type { OperandPoint } from "./coverage/operands.js";
export type { CoveragePoint, DerivedRolePoint, ExpressionPoint, RulePoint } from "./coverage/points.js";
export {
  type CoverageGoal,
  type CoverageReport,
  type CoverageTally,
  goalsOf,
} from "./coverage/report.js";
export { coverageLines } from "./coverage/text.js";
export type { CaseDocument, DecisionSuiteDocument, TestFixtures } from "./decisions/document.js";
export type { ActualDecision, DecisionSuiteResults, DecisionTestResult } from "./decisions/results.js";
export type { CaseNames, ExpectedDecision } from "./decisions/suite.js";
export { readSuiteDirectory } from "./directory.js";
export { isCerbosSuite, isDecisionSuite, type SuiteFiles } from "./files.js";
export {
  hasFailures,
  isAllLeftOut,
  type RanTest,
  type RunOptions,
  runSuites,
  type TestReport,
  testResults,
} from "./run.js";
