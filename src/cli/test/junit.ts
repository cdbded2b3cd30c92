/**
 * A report as JUnit XML. As in `cerbos compile`, each principal, resource and action is a test case; so is each request
 * of a decision suite.
 */

import { create, type XMLElement } from "xmlbuilder";
import { printableLines, visibleXml } from "../../policy/escape.js";
import { positionText } from "../../policy/issue.js";
import { namesOf } from "../../testing/decisions/suite.js";
import type {
  ActionResults,
  DecisionSuiteResults,
  DecisionTestResult,
  SuiteResults,
  TestReport,
  TestResult,
} from "../../testing/suites.js";
import { issueLine } from "../issues.js";
import type { ExplainUnexpected } from "./outline.js";

interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly file: string;
  readonly properties: { readonly [name: string]: string };
  readonly result: TestResult;
  /** The message of a failure, an error or a skipped test. */
  readonly message: string;
  readonly text: string;
}

interface JunitSuite {
  readonly name: string;
  readonly file: string;
  readonly description: string | undefined;
  readonly cases: readonly JunitCase[];
  /** The reason why the whole suite was not run. */
  readonly error: string | undefined;
  readonly skipped: boolean;
}

/** An indented document with an XML declaration. */
export function junitXml({ suites, decisionSuites }: TestReport, explain: ExplainUnexpected): string {
  const all = [...suites.map(cerbosSuite), ...decisionSuites.map((suite) => decisionSuite(suite, explain))];
  const root = create("testsuites", { encoding: "UTF-8", invalidCharReplacement: "\ufffd" });
  count(root, all);
  for (const suite of all) addSuite(root, suite);
  return visibleXml(root.end({ pretty: true }));
}

function count(element: XMLElement, suites: readonly JunitSuite[]): void {
  const cases = suites.flatMap((suite) => suite.cases);
  const of = (result: TestResult) => cases.filter((each) => each.result === result).length;
  element.att("tests", cases.length);
  element.att("failures", of("RESULT_FAILED"));
  element.att("errors", of("RESULT_ERRORED") + suites.filter(({ error }) => error !== undefined).length);
  element.att("skipped", of("RESULT_SKIPPED") + suites.filter(({ skipped }) => skipped).length);
}

function addSuite(root: XMLElement, suite: JunitSuite): void {
  const element = root.ele("testsuite", { name: suite.name, file: suite.file });
  if (suite.description !== undefined) element.att("description", suite.description);
  count(element, [suite]);
  if (suite.error !== undefined) element.ele("error", { type: "RESULT_ERRORED" }, printableLines(suite.error));
  if (suite.skipped) element.ele("skipped", { message: "This test suite was skipped" });
  for (const each of suite.cases) addCase(element, each);
}

function addCase(suite: XMLElement, { name, classname, file, properties, result, message, text }: JunitCase): void {
  const element = suite.ele("testcase", { name, classname, file });
  const list = element.ele("properties");
  for (const [property, value] of Object.entries(properties)) list.ele("property", { name: property, value });
  if (result === "RESULT_SKIPPED") element.ele("skipped", { message });
  if (result === "RESULT_FAILED") element.ele("failure", { type: result, message }, printableLines(text));
  if (result === "RESULT_ERRORED") element.ele("error", { type: result, message }, printableLines(text));
}

function cerbosSuite({ name, file, description, testCases = [], error, summary }: SuiteResults): JunitSuite {
  const cases = testCases.flatMap((test) =>
    test.principals.flatMap((principal) =>
      principal.resources.flatMap((resource) =>
        resource.actions.map((action) => cerbosCase(file, test.name, principal.name, resource.name, action)),
      ),
    ),
  );
  const skipped = summary.overallResult === "RESULT_SKIPPED" && cases.length === 0;
  return { name, file, description, cases, error, skipped };
}

function cerbosCase(
  file: string,
  name: string,
  principal: string,
  resource: string,
  { name: action, details }: ActionResults,
): JunitCase {
  const { failure, error, skipReason, result } = details;
  const outputs = failure?.outputs ?? [];
  const message =
    failure === undefined
      ? (error ?? skipReason ?? "")
      : outputs.length > 0
        ? "Output expectation unsatisfied"
        : "Effect expectation unsatisfied";
  const text =
    failure === undefined
      ? (error ?? "")
      : [`expected: ${failure.expected}`, `actual: ${failure.actual}`, ...outputs.map((o) => JSON.stringify(o))].join(
          "\n",
        );
  const properties = { principal, resource, action };
  return { name, classname: `${principal}.${resource}.${action}`, file, properties, result, message, text };
}

function decisionSuite(suite: DecisionSuiteResults, explain: ExplainUnexpected): JunitSuite {
  const { name, file, description, tests, issues, skipReason } = suite;
  const error = issues.length === 0 ? undefined : issues.map((issue) => issueLine(issue)).join("\n");
  const cases = tests.map((test) => decisionCase(file, test, explain));
  return { name, file, description, cases, error, skipped: skipReason !== undefined };
}

function decisionCase(file: string, test: DecisionTestResult, explain: ExplainUnexpected): JunitCase {
  const { key, operation, resource, account, expected, actual, failure, problems, skipReason, result, at } = test;
  const text =
    failure === undefined
      ? (problems ?? []).join("\n")
      : [
          `expected: ${JSON.stringify(expected)}`,
          `actual: ${JSON.stringify(actual)}`,
          ...explain(failure.request, failure.decision),
          `at ${positionText(at)}`,
        ].join("\n");
  return {
    name: test.case,
    classname: namesOf(test).join("."),
    file,
    properties: { key, operation, resource, ...(account === undefined ? {} : { account }) },
    result,
    message: skipReason ?? problems?.[0] ?? `expected ${expected.outcome}, got ${actual?.outcome ?? "nothing"}`,
    text,
  };
}
