/** Runs the test suites for a review. */

import { type Either, isLeft, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { CompileOptions, PolicySet } from "../../decisions/policy-set.js";
import { type PolicyIssue, positionText } from "../../policy/issue.js";
import { compareText } from "../../policy/issue-log.js";
import type { SuiteResults, TestResult, TestSummary } from "../../testing/cerbos/results.js";
import { type CoverageReport, goalsOf } from "../../testing/coverage/report.js";
import type { DecisionSuiteResults } from "../../testing/decisions/results.js";
import { cerbosFailures, decisionFailures, type TestFailure } from "../../testing/failures.js";
import type { SuiteFiles } from "../../testing/files.js";
import { runSuites } from "../../testing/run.js";
import type { CoverageGap, SuiteFacts } from "./types.js";

/** A test that ran: the operation on a resource kind that it asks for. */
export interface TestedOperation {
  /** The resource kind. */
  readonly kind: string;
  readonly operation: string;
  readonly passes: boolean;
}

/** The results of the suites of a policy set. */
export interface ReviewTests {
  /** One entry for each test that ran. */
  readonly operations: readonly TestedOperation[];
  /** By path. */
  readonly suites: readonly SuiteFacts[];
  readonly coverage: CoverageReport;
}

/**
 * Runs the suites among `files` (see `readSuiteDirectory` of `keyward/testing`) on the reviewed set. `compile`: the
 * options that it was compiled with. Left: the faults of the decision suites. A Cerbos suite that cannot be run is a
 * result.
 *
 * The tests of decision suites count for their operations. If the set is permission-only, each check of a Cerbos suite
 * that asks for its version counts as well: `decide` asks the same.
 */
export function reviewTests(
  policies: PolicySet,
  files: SuiteFiles,
  compile: CompileOptions = {},
): Either<NonEmptyArray<PolicyIssue>, ReviewTests> {
  const alone = policies.platform === undefined ? policies.permission.version : undefined;
  const operations: TestedOperation[] = [];
  const ran = runSuites(policies.files, files, {
    compile,
    coverage: true,
    onTest: ({ kind, operation, passes, version }) => {
      if (version === undefined || version === alone) operations.push({ kind, operation, passes });
    },
  });
  if (isLeft(ran)) return ran;
  const { suites, decisionSuites, coverage } = ran.right;
  const [first, ...others] = decisionSuites.flatMap(({ issues }) => issues);
  if (first !== undefined) return left([first, ...others]);
  if (coverage === undefined) throw new Error("coverage was asked for and not measured");
  return right({ operations, suites: suiteFacts(suites, decisionSuites), coverage });
}

/** The goals that no test meets, each once a place. */
export function coverageGaps({ points }: CoverageReport): readonly CoverageGap[] {
  return points.flatMap((point) => {
    const open = new Set(goalsOf(point).flatMap(({ met, missing }) => (met ? [] : [missing])));
    return [...open].map((what) => ({ at: positionText(point), what: `${point.kind} ${point.name}: ${what}` }));
  });
}

function suiteFacts(
  suites: readonly SuiteResults[],
  decisionSuites: readonly DecisionSuiteResults[],
): readonly SuiteFacts[] {
  return [
    ...suites.map((suite) => factsOf(suite, cerbosFailures(suite))),
    ...decisionSuites.map((suite) => factsOf(suite, decisionFailures(suite))),
  ].sort((a, b) => compareText(a.file, b.file));
}

const RESULTS = {
  RESULT_PASSED: "passed",
  RESULT_FAILED: "failed",
  RESULT_ERRORED: "errored",
  RESULT_SKIPPED: "skipped",
} as const satisfies { readonly [result in TestResult]: SuiteFacts["result"] };

function factsOf(
  { file, summary }: { readonly file: string; readonly summary: TestSummary },
  failures: readonly TestFailure[],
): SuiteFacts {
  const { overallResult, resultCounts = [] } = summary;
  const tests = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  for (const { result, count } of resultCounts) tests[RESULTS[result]] += count;
  return {
    file,
    result: overallResult === undefined ? "skipped" : RESULTS[overallResult],
    tests,
    failures: failures.map(({ at, message }) => ({ at: at === undefined ? file : positionText(at), message })),
  };
}
