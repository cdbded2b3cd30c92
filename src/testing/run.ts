/** Runs test suites on policies. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { COMPILE_OPTIONS, type CompileOptions, READ_NAMES } from "../decisions/compile-options.js";
import { configurationOf } from "../decisions/configuration.js";
import { compilePolicies, type PolicySet } from "../decisions/policy-set.js";
import { CheckPolicies } from "../engine/evaluate/check.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import type { PolicyIssue } from "../policy/issue.js";
import { compareText } from "../policy/issue-log.js";
import type { PolicyModel } from "../policy/model.js";
import { CALLBACK, checkArgument, checkOptions, FLAG, OBJECT, type OptionTable } from "../policy/options.js";
import { FILES, type PolicyFile, parsePolicyFiles } from "../policy/parse.js";
import { EVERY_TEST, isLeftOut, type TestFilter } from "./cerbos/filter.js";
import { joinedSummary, type SuiteResults, type TestResults, type TestSummary } from "./cerbos/results.js";
import { CerbosRunner } from "./cerbos/run.js";
import { CoverageCollector } from "./coverage/collect.js";
import type { CoverageReport } from "./coverage/report.js";
import type { DecisionSuiteResults } from "./decisions/results.js";
import { runDecisionSuite } from "./decisions/run.js";
import { isCerbosSuite, isDecisionSuite, type SuiteFiles } from "./files.js";

export interface RunOptions {
  /** Selects tests; the others count as skipped. Default: all run. */
  readonly filter?: TestFilter;
  /**
   * Skip the validation of attributes by the policies' JSON Schemas. Default: `false`, as `cerbos compile` does.
   */
  readonly ignoreSchemas?: boolean;
  /** Cerbos suites: check each action separately. Default: `false`, all actions of a test in one check. */
  readonly skipBatching?: boolean;
  /** Whether to measure coverage of the policies. Default: `false`. */
  readonly coverage?: boolean;
  /** Decision suites: compile options of the policies. */
  readonly compile?: CompileOptions;
  /** Called before each suite, with the number of suites run and of all suites. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called after each test that was not skipped. */
  readonly onTest?: (test: RanTest) => void;
}

/** A test that ran: the operation on a resource kind that it asks for, and whether it passes. */
export interface RanTest {
  readonly kind: string;
  readonly operation: string;
  readonly passes: boolean;
  /** Of a test of a Cerbos suite: the version of the policies that it asks. Decision suites ask both layers. */
  readonly version?: string;
}

export interface TestReport {
  /** Cerbos suites, by path. */
  readonly suites: readonly SuiteResults[];
  /** Decision suites, by path. */
  readonly decisionSuites: readonly DecisionSuiteResults[];
  /** Of all suites. `overallResult` is absent if there is no suite. */
  readonly summary: TestSummary;
  /** Present if `options.coverage` was set. */
  readonly coverage?: CoverageReport;
  /** Fields of `keyward.yaml` for which `options.compile` gave another value; absent if there are none. */
  readonly overridden?: readonly string[];
}

const RUN_OPTIONS = {
  filter: OBJECT,
  ignoreSchemas: FLAG,
  skipBatching: FLAG,
  coverage: FLAG,
  compile: OBJECT,
  onProgress: CALLBACK,
  onTest: CALLBACK,
} satisfies OptionTable<RunOptions>;

const SUITE_FILES = { has: (value: unknown) => value instanceof Map, said: "a map of texts by their paths" };

/**
 * Runs every suite among `files` (see `readSuiteDirectory`) on `policies`: Cerbos suites by the engine that answers as
 * the server does, decision suites by `decide`. A suite that cannot be run and a failed test are results, not errors.
 * Left: the faults of the policies. Decision suites require policies with both layers, or permission-only policies by
 * `options.compile`; then tests need no account. Throws a `TypeError` for an unknown option or an invalid value.
 */
export function runSuites(
  policies: readonly PolicyFile[],
  files: SuiteFiles,
  options: RunOptions = {},
): E.Either<NonEmptyArray<PolicyIssue>, TestReport> {
  checkArgument("policies", policies, FILES);
  checkArgument("files", files, SUITE_FILES);
  checkOptions(options, RUN_OPTIONS);
  checkOptions(options.compile ?? {}, { ...READ_NAMES, ...COMPILE_OPTIONS }, "compile");
  const paths = [...files.keys()].sort(compareText);
  const decisions = paths.filter(isDecisionSuite);
  const loaded = load(policies, decisions.length > 0, options.compile);
  return E.map((given: LoadedTestPolicies) =>
    new SuiteRun(given, files, options).report(paths.filter(isCerbosSuite), decisions),
  )(loaded);
}

interface LoadedTestPolicies {
  readonly model: PolicyModel;
  readonly policies: PolicySet | undefined;
}

function load(
  files: readonly PolicyFile[],
  layered: boolean,
  options: CompileOptions | undefined,
): E.Either<NonEmptyArray<PolicyIssue>, LoadedTestPolicies> {
  if (!layered) return E.map((model: PolicyModel) => ({ model, policies: undefined }))(parsePolicyFiles(files));
  return E.map((policies: PolicySet) => ({ model: policies.model, policies }))(compilePolicies(files, options));
}

class SuiteRun {
  private readonly loaded: LoadedTestPolicies;
  private readonly files: SuiteFiles;
  private readonly options: RunOptions;
  private readonly collector: CoverageCollector | undefined;
  private readonly overridden: readonly string[];

  constructor(loaded: LoadedTestPolicies, files: SuiteFiles, options: RunOptions) {
    this.loaded = loaded;
    this.files = files;
    this.options = options;
    const configuration = configurationOf(loaded.model.configuration, options.compile ?? {});
    this.overridden = configuration.overridden;
    this.collector = options.coverage === true ? new CoverageCollector(loaded.model, configuration) : undefined;
  }

  report(cerbos: readonly string[], decisions: readonly string[]): TestReport {
    const suites = this.runCerbos(cerbos, decisions.length);
    const decisionSuites = this.runDecisions(decisions, cerbos.length);
    const summary = joinedSummary([...suites, ...decisionSuites].map((suite) => suite.summary));
    return {
      suites,
      decisionSuites,
      summary,
      ...(this.collector === undefined ? {} : { coverage: this.collector.report() }),
      ...(this.overridden.length === 0 ? {} : { overridden: this.overridden }),
    };
  }

  private runCerbos(paths: readonly string[], others: number): readonly SuiteResults[] {
    if (paths.length === 0) return [];
    const { filter = EVERY_TEST, ignoreSchemas = false, skipBatching = false, onProgress } = this.options;
    const runner = new CerbosRunner(this.files, {
      policies: new CheckPolicies(this.loaded.model, "lenient", FULL_EQUIPMENT),
      strictPolicies: new CheckPolicies(this.loaded.model, "server-strict", FULL_EQUIPMENT),
      filter,
      schemaEnforcement: ignoreSchemas ? "none" : "reject",
      skipBatching,
      onCheck: (input, options, results) => {
        this.collector?.check(input, options);
        const { resource } = input;
        const version = resource.policyVersion || options.defaultPolicyVersion;
        for (const { name, details } of results) {
          const passes = details.result === "RESULT_PASSED";
          this.options.onTest?.({ kind: resource.kind, operation: name, passes, version });
        }
      },
    });
    return paths.map((path, i) => {
      onProgress?.(i, paths.length + others);
      return runner.suite(path);
    });
  }

  private runDecisions(paths: readonly string[], before: number): readonly DecisionSuiteResults[] {
    const { policies } = this.loaded;
    if (policies === undefined) return [];
    const { filter = EVERY_TEST, ignoreSchemas = false, onProgress } = this.options;
    return paths.map((path, i) => {
      onProgress?.(before + i, before + paths.length);
      return runDecisionSuite(path, this.files, {
        policies,
        filter,
        ignoreSchemas,
        onDecision: (request, _decision, passes) => {
          this.collector?.decision(request);
          this.options.onTest?.({ kind: request.resource.kind, operation: request.operation, passes });
        },
      });
    });
  }
}

/** Whether there are tests, and the filter leaves out all of them. */
export function isAllLeftOut({ suites, decisionSuites }: TestReport): boolean {
  const actions = suites.flatMap(({ testCases = [] }) =>
    testCases.flatMap(({ principals }) =>
      principals.flatMap(({ resources }) => resources.flatMap((resource) => resource.actions)),
    ),
  );
  const tests = [...actions.map(({ details }) => details), ...decisionSuites.flatMap((suite) => suite.tests)];
  return tests.length > 0 && tests.every(({ skipReason }) => skipReason !== undefined && isLeftOut(skipReason));
}

/** Whether a test failed, or a suite could not be run. */
export function hasFailures({ summary }: TestReport): boolean {
  return summary.overallResult === "RESULT_FAILED" || summary.overallResult === "RESULT_ERRORED";
}

/**
 * The report in the format of `cerbos compile --output=json`. Decision suites are unknown to Cerbos: they get a field
 * of their own, and count in the summary.
 */
export function testResults({ suites, decisionSuites, summary, coverage }: TestReport): TestResults & {
  readonly decisionSuites?: readonly DecisionSuiteResults[];
  readonly coverage?: CoverageReport;
} {
  return {
    ...(suites.length === 0 ? {} : { suites }),
    ...(decisionSuites.length === 0 ? {} : { decisionSuites }),
    summary,
    ...(coverage === undefined ? {} : { coverage }),
  };
}
