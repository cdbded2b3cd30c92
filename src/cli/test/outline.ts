/** A report as a tree, as `cerbos compile` shows it. Passed tests are left out unless `verbose` is set. */

import { plural } from "../../audit/plural.js";
import type { PaintText, TextStyle } from "../../audit/style.js";
import type { Decision, PermissionRequest } from "../../decisions/types.js";
import { printable } from "../../policy/escape.js";
import { grouped } from "../../policy/groups.js";
import { positionText } from "../../policy/issue.js";
import { namesOf } from "../../testing/decisions/suite.js";
import { DAMAGED_HINT } from "../../testing/failures.js";
import type {
  ActionResults,
  DecisionSuiteResults,
  DecisionTestResult,
  SuiteResults,
  TestDetails,
  TestReport,
  TestResult,
} from "../../testing/suites.js";
import { issueLine } from "../issues.js";
import { leaf as line, type TextTree } from "./tree.js";

/** Explains an unexpected decision, in lines that are safe for a terminal. */
export type ExplainUnexpected = (request: PermissionRequest, decision: Decision) => readonly string[];

export interface OutlineOptions {
  /** Whether to show passed tests. */
  readonly verbose: boolean;
  readonly explain: ExplainUnexpected;
  readonly paint: PaintText;
}

const LABELS = {
  RESULT_PASSED: "OK",
  RESULT_SKIPPED: "SKIPPED",
  RESULT_FAILED: "FAILED",
  RESULT_ERRORED: "ERROR",
} as const;

const LOOKS: { readonly [R in TestResult]: TextStyle } = {
  RESULT_PASSED: "good",
  RESULT_SKIPPED: "dim",
  RESULT_FAILED: "bad",
  RESULT_ERRORED: "bad",
};

/** A line that may contain text of files and requests, escaped for terminals. */
function leaf(text: string): TextTree {
  return line(printable(text));
}

export function outline({ suites, decisionSuites }: TestReport, options: OutlineOptions): readonly TextTree[] {
  return [
    ...suites.flatMap((suite) => cerbosTree(suite, options)),
    ...decisionSuites.flatMap((suite) => decisionTree(suite, options)),
  ];
}

/** `1 of 15 tests failed, 1 suite could not be run`. */
export function failuresOf({ suites, decisionSuites, summary }: TestReport): string {
  const { testsCount = 0, resultCounts = [] } = summary;
  const failed = resultCounts.find(({ result }) => result === "RESULT_FAILED")?.count ?? 0;
  const errored = resultCounts.find(({ result }) => result === "RESULT_ERRORED")?.count ?? 0;
  const broken = brokenSuites({ suites, decisionSuites });
  return [
    ...(failed === 0 ? [] : [`${failed} of ${plural(testsCount, "test")} failed`]),
    ...(errored === 0 ? [] : [`${errored} of ${plural(testsCount, "test")} could not be run`]),
    ...(broken === 0 ? [] : [`${plural(broken, "suite")} could not be run`]),
  ].join(", ");
}

/** The number of suites that could not be run. */
function brokenSuites({ suites, decisionSuites }: Pick<TestReport, "suites" | "decisionSuites">): number {
  return (
    suites.filter(({ error }) => error !== undefined).length +
    decisionSuites.filter(({ issues }) => issues.length > 0).length
  );
}

/** `15 tests executed [14 OK] [1 FAILED]`, then `, 1 suite not executed [ERROR]`: its tests are not counted before. */
export function totals({ suites, decisionSuites, summary }: TestReport, options: OutlineOptions): string {
  const { testsCount = 0, resultCounts = [] } = summary;
  const { paint } = options;
  const counts = resultCounts.map(({ result, count }) => ` ${paint(LOOKS[result], `[${count} ${LABELS[result]}]`)}`);
  const broken = brokenSuites({ suites, decisionSuites });
  const others = broken === 0 ? "" : `, ${plural(broken, "suite")} not executed ${label("RESULT_ERRORED", options)}`;
  return `${testsCount} tests executed${counts.join("")}${others}`;
}

function label(result: TestResult, { paint }: OutlineOptions): string {
  return paint(LOOKS[result], `[${LABELS[result]}]`);
}

interface SuiteHead extends Pick<SuiteResults, "name" | "file" | "summary"> {
  readonly skipReason?: string;
}

function suiteNode(suite: SuiteHead, children: readonly TextTree[], options: OutlineOptions): TextTree {
  const { name, file, summary } = suite;
  const results = (summary.resultCounts ?? []).map(({ result, count }) =>
    options.paint(LOOKS[result], `[${count} ${LABELS[result]}]`),
  );
  const { overallResult } = summary;
  const shown = results.length === 0 && overallResult !== undefined ? [label(overallResult, options)] : results;
  return { text: [printable(`${name} (${file})`), ...shown].join(" "), children };
}

function cerbosTree(suite: SuiteResults, options: OutlineOptions): readonly TextTree[] {
  if (suite.error !== undefined) return [suiteNode(suite, [leaf(suite.error)], options)];
  const cases = (suite.testCases ?? []).flatMap(({ name, principals }) =>
    node(
      name,
      principals.flatMap((principal) =>
        node(
          principal.name,
          principal.resources.flatMap((resource) =>
            node(
              resource.name,
              resource.actions.flatMap((action) => actionTree(action, options)),
            ),
          ),
        ),
      ),
    ),
  );
  return isFilteredOut(suite, cases) ? [] : [suiteNode(suite, cases, options)];
}

/** A node without children is not shown. */
function node(text: string, children: readonly TextTree[]): readonly TextTree[] {
  return children.length === 0 ? [] : [{ text: printable(text), children }];
}

/** Whether the filter left out all tests of a suite; such a suite is not shown. */
function isFilteredOut({ summary, skipReason }: SuiteHead, shown: readonly TextTree[]): boolean {
  const skipped = summary.overallResult === "RESULT_SKIPPED" && (summary.testsCount ?? 0) > 0;
  return skipped && shown.length === 0 && skipReason === undefined;
}

const FILTERED = / did not match the (test filter|provided pattern)$|^No actions matched the test filter$/;

function isShown(result: TestResult, skipReason: string | undefined, { verbose }: OutlineOptions): boolean {
  if (result === "RESULT_PASSED") return verbose;
  return result !== "RESULT_SKIPPED" || !FILTERED.test(skipReason ?? "");
}

function actionTree({ name, details }: ActionResults, options: OutlineOptions): readonly TextTree[] {
  if (!isShown(details.result, details.skipReason, options)) return [];
  return [{ text: `${printable(name)} ${label(details.result, options)}`, children: detailLines(details) }];
}

function detailLines({ failure, error, success, skipReason }: TestDetails): readonly TextTree[] {
  if (error !== undefined) return [leaf(`ERROR: ${error}`)];
  if (success !== undefined) {
    const outputs = (success.outputs ?? []).map(({ src, val }) => leaf(`OUTPUT: ${src} ${shown(val)}`));
    return [leaf(`RESULT: ${success.effect}`), ...outputs];
  }
  if (failure === undefined) return skipReason === undefined || skipReason === "" ? [] : [leaf(skipReason)];
  const { expected, actual, outputs = [] } = failure;
  if (outputs.length === 0) return [leaf(`OUTCOME: expected: ${expected}, actual: ${actual}`)];
  const differences = outputs.map(({ src, mismatched, missing, errored }) => ({
    text: printable(src),
    children: [
      leaf(`EXPECTED: ${shown((mismatched ?? missing ?? errored)?.expected)}`),
      leaf(
        errored === undefined
          ? `ACTUAL: ${mismatched === undefined ? "MISSING" : shown(mismatched.actual)}`
          : `ERROR: ${errored.error}`,
      ),
    ],
  }));
  return [{ text: "OUTCOME: output expectation unsatisfied", children: differences }];
}

function shown(value: unknown): string {
  return value === undefined ? "no value" : JSON.stringify(value);
}

function decisionTree(suite: DecisionSuiteResults, options: OutlineOptions): readonly TextTree[] {
  const issues = suite.issues.map((issue) => leaf(issueLine(issue)));
  if (issues.length > 0) return [suiteNode(suite, issues, options)];
  const shown = suite.tests.filter(({ result, skipReason }) => isShown(result, skipReason, options));
  const children = [...grouped(shown, (test) => test.case)].map(([text, tests]) => ({
    text: printable(text),
    children: tests.map((test) => testTree(test, options)),
  }));
  return isFilteredOut(suite, children) ? [] : [suiteNode(suite, children, options)];
}

function testTree(test: DecisionTestResult, options: OutlineOptions): TextTree {
  const text = `${printable(namesOf(test).join(", "))} ${label(test.result, options)}`;
  const { failure } = test;
  const note = failure === undefined ? [] : ["", ...options.explain(failure.request, failure.decision), ""];
  return { text, children: differenceLines(test), note: note.length > 2 ? note : [] };
}

function differenceLines(test: DecisionTestResult): readonly TextTree[] {
  const { expected, actual, failure, problems, skipReason, at } = test;
  if (problems !== undefined) {
    return [...problems, DAMAGED_HINT].map((line) => leaf(line)).concat(leaf(`at ${positionText(at)}`));
  }
  if (actual === undefined) return skipReason === undefined || skipReason === "" ? [] : [leaf(skipReason)];
  const faulty = actual.fault === undefined ? "" : `; fault: ${actual.fault.kind}, ${actual.fault.message}`;
  const given = `${actual.outcome} (${actual.reasons.map(({ reason }) => reason).join(", ")}${faulty})`;
  if (failure === undefined) return [leaf(`RESULT: ${given}`)];
  const { outcome, reasons, reasonsInclude, fault } = expected;
  const wanted = [
    ...(reasons === undefined ? [] : [reasons.length === 0 ? "no reasons" : reasons.join(", ")]),
    ...(reasonsInclude === undefined ? [] : [`at least ${reasonsInclude.join(", ")}`]),
    ...(fault === undefined ? [] : [`fault: ${fault}`]),
  ];
  return [
    leaf(`EXPECTED: ${outcome}${wanted.length === 0 ? "" : ` (${wanted.join("; ")})`}`),
    leaf(`ACTUAL: ${given}`),
    leaf(`at ${positionText(at)}`),
  ];
}
