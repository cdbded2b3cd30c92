/** Reports failed tests of policies as findings. */

import { join } from "node:path";
import { cerbosFailures, decisionFailures, type TestFailure } from "../../testing/failures.js";
import type { TestReport } from "../../testing/suites.js";
import type { CliFinding, CliReport, FindingRule } from "./finding.js";
import { findingOf, POLICY_RULES } from "./policy-issues.js";

const RULES: readonly FindingRule[] = [
  { id: "test_failed", description: "A test of policies expects something else than they decide." },
  { id: "test_error", description: "A test of policies could not be run." },
  { id: "suite_error", description: "A test suite cannot be read." },
];

/** The failures, in the order of the report. The files of suites are relative to `directory`. */
export function reportOfTests({ suites, decisionSuites }: TestReport, directory: string): CliReport {
  const findings = [
    ...suites.flatMap((suite) => cerbosFailures(suite).map((one) => testFinding(one, suite.file, directory))),
    ...decisionSuites.flatMap((suite) => [
      ...suite.issues.map((issue) => findingOf(issue, directory)),
      ...decisionFailures(suite).map((one) => testFinding(one, suite.file, directory)),
    ]),
  ];
  return { findings, rules: [...RULES, ...POLICY_RULES] };
}

function testFinding({ kind, message, at }: TestFailure, suite: string, directory: string): CliFinding {
  const place =
    at === undefined
      ? { file: join(directory, suite) }
      : { file: join(directory, at.file), line: at.line, column: at.column };
  return { rule: kind, level: "error", message, place };
}
