/**
 * `keyward/testing`: tests of policies by suites (`suites.ts`), laws and matchers. The build bundles the parts of
 * fast-check that laws are made of. The command line does not need them: it imports the other files of this directory.
 */

export * from "./laws/index.js";
export { type DecisionMatchers, matchers } from "./matchers.js";
export {
  type CoverageGoal,
  type CoveragePoint,
  type CoverageReport,
  coverageLines,
  type DecisionSuiteDocument,
  type DecisionSuiteResults,
  goalsOf,
  hasFailures,
  isAllLeftOut,
  isCerbosSuite,
  isDecisionSuite,
  lcovOf,
  parseFilter,
  type RunOptions,
  readSuiteDirectory,
  runSuites,
  type SuiteFiles,
  type TestFilter,
  type TestFixtures,
  type TestReport,
  type TestResults,
  testResults,
} from "./suites.js";
