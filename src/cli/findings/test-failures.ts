/** Reports failed tests of policies as findings. */

import { join } from "node:path";
import type { DecisionSuiteResults, DecisionTestResult, SuiteResults, TestReport } from "../../testing/suites.js";
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
    ...suites.flatMap((suite) => cerbosFindings(suite, directory)),
    ...decisionSuites.flatMap((suite) => decisionFindings(suite, directory)),
  ];
  return { findings, rules: [...RULES, ...POLICY_RULES] };
}

/** Results of Cerbos suites name their file, but have no line. */
function cerbosFindings({ file, error, testCases = [] }: SuiteResults, directory: string): readonly CliFinding[] {
  const place = { file: join(directory, file) };
  const suite: readonly CliFinding[] =
    error === undefined ? [] : [{ rule: "suite_error", level: "error", message: error, place }];
  const tests = testCases.flatMap((test) =>
    test.principals.flatMap((principal) =>
      principal.resources.flatMap((resource) =>
        resource.actions.flatMap(({ name: action, details }): CliFinding[] => {
          const what = `${test.name}: ${principal.name}, ${resource.name}, ${action}`;
          const { failure } = details;
          if (details.error !== undefined) {
            return [{ rule: "test_error", level: "error", message: `${what}: ${details.error}`, place }];
          }
          if (failure === undefined) return [];
          const outputs = (failure.outputs ?? []).map((output) => `output ${JSON.stringify(output)}`);
          const effect =
            failure.expected === failure.actual ? [] : [`expected ${failure.expected}, got ${failure.actual}`];
          return [
            { rule: "test_failed", level: "error", message: `${what}: ${[...effect, ...outputs].join("; ")}`, place },
          ];
        }),
      ),
    ),
  );
  return [...suite, ...tests];
}

function decisionFindings({ issues, tests }: DecisionSuiteResults, directory: string): readonly CliFinding[] {
  return [
    ...issues.map((issue) => findingOf(issue, directory)),
    ...tests.filter(({ result }) => result === "RESULT_FAILED").map((test) => decisionFinding(test, directory)),
  ];
}

function decisionFinding(test: DecisionTestResult, directory: string): CliFinding {
  const { case: name, key, operation, resource, account, expected, actual, at } = test;
  const of = account === undefined ? "" : ` (${account})`;
  const wanted = [
    ...(expected.reasons === undefined ? [] : [`because of ${expected.reasons.join(", ") || "nothing"}`]),
    ...(expected.reasonsInclude === undefined ? [] : [`because of ${expected.reasonsInclude.join(", ")} at least`]),
    ...(expected.fault === undefined ? [] : [`with the fault ${expected.fault}`]),
  ];
  const reasons = (actual?.reasons ?? []).map(({ reason }) => reason).join(", ");
  const faulty = actual?.fault === undefined ? "" : `, with the fault ${actual.fault.kind}: ${actual.fault.message}`;
  const got = actual === undefined ? "nothing" : `${actual.outcome} because of ${reasons}${faulty}`;
  return {
    rule: "test_failed",
    level: "error",
    message: `${name}: ${key} ${operation} ${resource}${of}: expected ${[expected.outcome, ...wanted].join(" ")}, got ${got}`,
    place: { file: join(directory, at.file), line: at.line, column: at.column },
  };
}
