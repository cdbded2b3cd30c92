/** `cerbos.policy.v1.TestResults`, as the server prints it in JSON: fields without a value are omitted. */

import type { JsonValue } from "../../cel/json.js";
import { isFilterReason } from "./filter.js";
import type { TestedEffect } from "./suite.js";

/** In ascending precedence: the result of several tests is the last one in this list that any of them has. */
const RESULTS = ["RESULT_SKIPPED", "RESULT_PASSED", "RESULT_FAILED", "RESULT_ERRORED"] as const;

export type TestResult = (typeof RESULTS)[number];

export interface OutputEntry {
  readonly src: string;
  /** Absent if the output's expression erred; `error` has the message. */
  readonly val?: JsonValue;
  readonly action: string;
  readonly error?: string;
}

/** An output that differs from the suite's expectation, or is missing. */
export interface OutputFailure {
  readonly src: string;
  readonly mismatched?: { readonly actual?: JsonValue; readonly expected?: JsonValue };
  readonly missing?: { readonly expected?: JsonValue };
  readonly errored?: { readonly error: string; readonly expected?: JsonValue };
}

/** The result of one action of one test. Exactly one field besides `result` is present. */
export interface TestDetails {
  readonly result: TestResult;
  readonly failure?: {
    readonly expected: TestedEffect;
    readonly actual: TestedEffect;
    readonly outputs?: readonly OutputFailure[];
  };
  readonly error?: string;
  readonly success?: { readonly effect: TestedEffect; readonly outputs?: readonly OutputEntry[] };
  readonly skipReason?: string;
}

export interface TestSummary {
  readonly overallResult?: TestResult;
  readonly testsCount?: number;
  readonly resultCounts?: readonly { readonly result: TestResult; readonly count: number }[];
}

export interface ActionResults {
  readonly name: string;
  readonly details: TestDetails;
}

export interface TestCaseResults {
  readonly name: string;
  readonly principals: readonly {
    readonly name: string;
    readonly resources: readonly { readonly name: string; readonly actions: readonly ActionResults[] }[];
  }[];
}

export interface SuiteResults {
  readonly file: string;
  /** `Unknown` if the file is not a suite. */
  readonly name: string;
  readonly description?: string;
  readonly summary: TestSummary;
  readonly testCases?: readonly TestCaseResults[];
  /** The reason why the suite could not be run. */
  readonly error?: string;
  readonly skipReason?: string;
}

export interface TestResults {
  readonly suites?: readonly SuiteResults[];
  readonly summary: TestSummary;
}

/** The prevailing result, and the number of tests with each result. Tests that a filter leaves out are not counted. */
export function summaryOf(results: readonly Pick<TestDetails, "result" | "skipReason">[]): TestSummary {
  const counted = results.filter(({ skipReason }) => skipReason === undefined || !isFilterReason(skipReason));
  const counts = RESULTS.flatMap((result) => {
    const count = counted.filter((each) => each.result === result).length;
    return count === 0 ? [] : [{ result, count }];
  });
  const overall = RESULTS.findLast((result) => results.some((each) => each.result === result));
  return {
    ...(overall === undefined ? {} : { overallResult: overall }),
    ...(counted.length === 0 ? {} : { testsCount: counted.length, resultCounts: counts }),
  };
}

/** Sums up several summaries. A suite that could not be run counts in the overall result only. */
export function joinedSummary(summaries: readonly TestSummary[]): TestSummary {
  const overall = RESULTS.findLast((result) => summaries.some((summary) => summary.overallResult === result));
  const tests = summaries.reduce((sum, summary) => sum + (summary.testsCount ?? 0), 0);
  const counts = RESULTS.flatMap((result) => {
    const tallies = summaries.flatMap((summary) => summary.resultCounts ?? []).filter((each) => each.result === result);
    const count = tallies.reduce((sum, tally) => sum + tally.count, 0);
    return count === 0 ? [] : [{ result, count }];
  });
  return {
    ...(overall === undefined ? {} : { overallResult: overall }),
    ...(tests === 0 ? {} : { testsCount: tests }),
    ...(counts.length === 0 ? {} : { resultCounts: counts }),
  };
}
