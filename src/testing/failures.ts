/** The failures of suites, in sentences: each failed test, and each suite or test that could not be run. */

import type { SourcePosition } from "../policy/issue.js";
import type { SuiteResults } from "./cerbos/results.js";
import type { DecisionSuiteResults, DecisionTestResult } from "./decisions/results.js";

export interface TestFailure {
  /** `suite_error`: none of the suite's tests was run. */
  readonly kind: "test_failed" | "test_error" | "suite_error";
  /** The test, what it expects, and what it got; or why it could not be run. */
  readonly message: string;
  /** The position of a decision suite's case or fault. Results of Cerbos suites have none. */
  readonly at?: SourcePosition;
}

export function cerbosFailures({ error, testCases = [] }: SuiteResults): readonly TestFailure[] {
  const suite: readonly TestFailure[] = error === undefined ? [] : [{ kind: "suite_error", message: error }];
  const tests = testCases.flatMap((test) =>
    test.principals.flatMap((principal) =>
      principal.resources.flatMap((resource) =>
        resource.actions.flatMap(({ name: action, details }): TestFailure[] => {
          const what = `${test.name}: ${principal.name}, ${resource.name}, ${action}`;
          const { failure } = details;
          if (details.error !== undefined) return [{ kind: "test_error", message: `${what}: ${details.error}` }];
          if (failure === undefined) return [];
          const outputs = (failure.outputs ?? []).map((output) => `output ${JSON.stringify(output)}`);
          const effect =
            failure.expected === failure.actual ? [] : [`expected ${failure.expected}, got ${failure.actual}`];
          return [{ kind: "test_failed", message: `${what}: ${[...effect, ...outputs].join("; ")}` }];
        }),
      ),
    ),
  );
  return [...suite, ...tests];
}

/** The failed tests of a decision suite, and those that could not be run. `DecisionSuiteResults.issues` says why a suite could not be run. */
export function decisionFailures({ tests }: DecisionSuiteResults): readonly TestFailure[] {
  return tests.flatMap((test) => {
    if (test.problems !== undefined) return [problemOf(test, test.problems)];
    return test.result === "RESULT_FAILED" ? [decisionFailure(test)] : [];
  });
}

/** Tells how to correct a case whose attributes the schemas do not allow. */
export const DAMAGED_HINT = "correct the attributes, or write damaged: true if they are meant to be wrong";

function problemOf({ case: name, key, operation, resource, at }: DecisionTestResult, problems: readonly string[]) {
  const message = `${name}: ${key} ${operation} ${resource}: ${problems.join("; ")} (${DAMAGED_HINT})`;
  return { kind: "test_error", message, at } satisfies TestFailure;
}

function decisionFailure(test: DecisionTestResult): TestFailure {
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
  const message = `${name}: ${key} ${operation} ${resource}${of}: expected ${[expected.outcome, ...wanted].join(" ")}, got ${got}`;
  return { kind: "test_failed", message, at };
}
