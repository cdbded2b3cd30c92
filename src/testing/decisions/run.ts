/** Runs decision suites. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Decision, PermissionRequest } from "../../decisions/types.js";
import type { TestFilter } from "../cerbos/filter.js";
import { summaryOf } from "../cerbos/results.js";
import type { SuiteFiles } from "../files.js";
import { requestFaultOf } from "../request-faults.js";
import { AttributeProblems } from "./attribute-problems.js";
import { readDecisionSuite } from "./read.js";
import type { ActualDecision, DecisionSuiteResults, DecisionTestResult } from "./results.js";
import type { DecisionSuite, DecisionTest, ExpectedDecision } from "./suite.js";

export interface DecisionRun {
  readonly policies: PolicySet;
  readonly filter: TestFilter;
  /** Whether cases may have attributes that violate the schemas. */
  readonly ignoreSchemas: boolean;
  /** Called after each decision, with whether it is the expected one; coverage is measured here. */
  onDecision(request: PermissionRequest, decision: Decision, passes: boolean): void;
}

/** Runs the suite in one file. */
export function runDecisionSuite(path: string, files: SuiteFiles, run: DecisionRun): DecisionSuiteResults {
  const read = readDecisionSuite(path, files, { permissionOnly: run.policies.platform === undefined });
  if ("issues" in read) {
    const { name, issues } = read;
    return { file: path, name, summary: { overallResult: "RESULT_ERRORED" }, tests: [], issues };
  }
  const { suite } = read;
  const { file, name, description, skipReason } = suite;
  const head = { file, name, ...(description === "" ? {} : { description }), issues: [] };
  if (skipReason !== undefined) {
    return { ...head, summary: { overallResult: "RESULT_SKIPPED" }, skipReason, tests: [] };
  }
  const attributes = run.ignoreSchemas ? undefined : new AttributeProblems(run.policies);
  const tests = suite.tests.map((test) => resultOf(suite, test, attributes, run));
  return { ...head, summary: summaryOf(tests), tests };
}

function resultOf(
  suite: DecisionSuite,
  test: DecisionTest,
  attributes: AttributeProblems | undefined,
  { policies, filter, onDecision }: DecisionRun,
) {
  const { request: make, skipReason, damaged, ...described } = test;
  const name = { suite: suite.name, test: test.case, principal: test.key, resource: test.resource };
  const skipped = filter.skips(name, [test.operation]) ?? skipReason;
  if (skipped !== undefined) {
    return { ...described, result: "RESULT_SKIPPED", skipReason: skipped } satisfies DecisionTestResult;
  }
  const request = make();
  const problems = damaged ? [] : (attributes?.of(make()) ?? []);
  if (problems.length > 0) {
    return { ...described, result: "RESULT_ERRORED", problems } satisfies DecisionTestResult;
  }
  const decision = decideAny(policies, request);
  const actual = actualOf(decision);
  const passes = isExpected(actual, test.expected);
  onDecision(request, decision, passes);
  if (passes) {
    return { ...described, result: "RESULT_PASSED", actual } satisfies DecisionTestResult;
  }
  return { ...described, result: "RESULT_FAILED", actual, failure: { request, decision } } satisfies DecisionTestResult;
}

/** Whether policies decide a test as it expects. */
export function passesTest(policies: PolicySet, { request, expected }: DecisionTest): boolean {
  return isExpected(actualOf(decideAny(policies, request())), expected);
}

function actualOf({ outcome, permission, platform, fault }: Decision): ActualDecision {
  const { reasons } = outcome === "forbidden" ? platform : permission;
  return { outcome, reasons, ...(fault === undefined ? {} : { fault }) };
}

function isExpected(
  actual: ActualDecision,
  { outcome, reasons, reasonsInclude = [], fault }: ExpectedDecision,
): boolean {
  const given = new Set(actual.reasons.map(({ reason }) => reason));
  const wanted = new Set(reasons);
  return (
    actual.outcome === outcome &&
    (fault === undefined ? requestFaultOf(actual.fault) === undefined : fault === actual.fault?.kind) &&
    (reasons === undefined || (given.size === wanted.size && [...given].every((reason) => wanted.has(reason)))) &&
    reasonsInclude.every((reason) => given.has(reason))
  );
}
