/** Runs Cerbos test suites as `cerbos compile` does (docs/cerbos-semantics.md §5). */

import * as E from "fp-ts/lib/Either.js";
import type { JsonValue } from "../../cel/json.js";
import { type CheckPolicies, check } from "../../engine/evaluate/check.js";
import type { CheckInput, CheckOptions, CheckResult } from "../../engine/evaluate/check-types.js";
import type { SuiteFiles } from "../files.js";
import { readDocument } from "./document.js";
import { NO_ACTION, type TestFilter } from "./filter.js";
import { FixtureDirectories, memberFault } from "./fixtures.js";
import { type MatrixTest, matrixOf, sameValue, TableFault } from "./matrix.js";
import {
  type ActionResults,
  type OutputEntry,
  type OutputFailure,
  type SuiteResults,
  summaryOf,
  type TestCaseResults,
  type TestDetails,
  type TestSummary,
} from "./results.js";
import { type CerbosFixtures, type CerbosSuite, readSuite, type TestedEffect } from "./suite.js";

export interface CerbosRun {
  readonly policies: CheckPolicies;
  /** For tests with the option `strictEvaluation`. */
  readonly strictPolicies: CheckPolicies;
  readonly filter: TestFilter;
  /** Unless this is `none`, attributes that violate the policies' schemas deny. */
  readonly schemaEnforcement: CheckOptions["schemaEnforcement"];
  /** Check each action separately. */
  readonly skipBatching: boolean;
  /** Called after each check, with the results of its actions; coverage is measured here. */
  onCheck(input: CheckInput, options: CheckOptions, results: readonly ActionResults[]): void;
}

const EFFECTS = { allow: "EFFECT_ALLOW", deny: "EFFECT_DENY" } as const;

/** The error of a test that reads the time but gives no `now`. */
const NO_CLOCK = "a policy used a time-based condition, but `now` was not provided in the test options";

export class CerbosRunner {
  private readonly files: SuiteFiles;
  private readonly fixtures: FixtureDirectories;
  private readonly run: CerbosRun;

  constructor(files: SuiteFiles, run: CerbosRun) {
    this.files = files;
    this.fixtures = new FixtureDirectories(files);
    this.run = run;
  }

  /** Runs the suite in one file. */
  suite(path: string): SuiteResults {
    const read = E.chain(readSuite)(readDocument({ path, text: this.files.get(path) ?? "" }, "suite"));
    if (E.isLeft(read)) return { file: path, name: "Unknown", ...errored(`failed to load test suite:${read.left}`) };
    const suite = read.right;
    const { name, description } = suite;
    const head = { file: path, name, ...(description === "" ? {} : { description }) };
    const shared = this.fixtures.beside(path);
    return { ...head, ...(E.isLeft(shared) ? errored(shared.left) : this.results(suite, shared.right)) };
  }

  private results(suite: CerbosSuite, shared: CerbosFixtures): Omit<SuiteResults, "file" | "name"> {
    const fault = groupFault(suite, shared);
    if (fault !== undefined) return errored(fault);
    if (suite.skip) {
      const summary = { overallResult: "RESULT_SKIPPED" } as const;
      return suite.skipReason === "" ? { summary } : { summary, skipReason: suite.skipReason };
    }
    const repeated = repeatedNames(suite);
    if (repeated.length > 0) return errored(`Invalid test suite: ${repeated.join("; ")}`);
    try {
      return collected(matrixOf(suite, shared).map((test) => [test, this.test(suite, test)]));
    } catch (error) {
      if (error instanceof TableFault) return errored(`Failed to load the test suite: ${error.message}`);
      throw error;
    }
  }

  private test(suite: CerbosSuite, test: MatrixTest): readonly ActionResults[] {
    const { table, principalName, resourceName } = test;
    const { filter, skipBatching } = this.run;
    const { actions } = table.input;
    const name = { suite: suite.name, test: table.name, principal: principalName, resource: resourceName };
    const skipped = filter.skips(name, actions) ?? (table.skip ? table.skipReason : undefined);
    if (skipped !== undefined) return actions.map((action) => ({ name: action, details: skip(skipped) }));
    const asked = actions.filter((action) => filter.runs(action));
    const others = actions.filter((action) => !filter.runs(action));
    const batches = skipBatching ? asked.map((action) => [action]) : [asked];
    return [
      ...batches.flatMap((batch) => this.check(test, batch)),
      ...others.map((action) => ({ name: action, details: skip(NO_ACTION) })),
    ];
  }

  private check(test: MatrixTest, actions: readonly string[]): readonly ActionResults[] {
    const { principal, resource, auxData, options: given } = test;
    const input: CheckInput = { principal, resource, ...auxData, actions, now: given?.now };
    const options: CheckOptions = {
      defaultPolicyVersion: given?.defaultPolicyVersion || "default",
      defaultScope: given?.defaultScope ?? "",
      lenientScopeSearch: given?.lenientScopeSearch ?? false,
      schemaEnforcement: this.run.schemaEnforcement,
      globals: given?.globals ?? {},
    };
    const result = check(
      given?.strictEvaluation === true ? this.run.strictPolicies : this.run.policies,
      input,
      options,
    );
    const noClock = given?.now === undefined && result.readsClock;
    const results = actions.map(
      (name): ActionResults => ({
        name,
        details: noClock ? { result: "RESULT_ERRORED", error: NO_CLOCK } : detailsOf(test, name, result),
      }),
    );
    this.run.onCheck(input, options, results);
    return results;
  }
}

function errored(error: string): { readonly summary: TestSummary; readonly error: string } {
  return { summary: { overallResult: "RESULT_ERRORED" }, error };
}

function skip(skipReason: string): TestDetails {
  return { result: "RESULT_SKIPPED", skipReason };
}

function groupFault(suite: CerbosSuite, shared: CerbosFixtures): string | undefined {
  const principals = memberFault(
    suite.principalGroups,
    (name) => suite.principals.has(name) || shared.principals.has(name),
  );
  if (principals !== undefined) return `Invalid principal groups in test suite: ${principals}`;
  const resources = memberFault(
    suite.resourceGroups,
    (name) => suite.resources.has(name) || shared.resources.has(name),
  );
  return resources === undefined ? undefined : `Invalid resource groups in test suite: ${resources}`;
}

function repeatedNames({ tests }: CerbosSuite): readonly string[] {
  const seen = new Set<string>();
  return tests.flatMap(({ name }) => {
    if (seen.has(name)) return [`another test named ${name} already exists`];
    seen.add(name);
    return [];
  });
}

/** Compares effects first, then the outputs that the suite names. */
function detailsOf({ expected }: MatrixTest, action: string, checked: CheckResult): TestDetails {
  const wanted: TestedEffect = expected.actions.get(action) ?? "EFFECT_DENY";
  const effect = EFFECTS[checked.actions.get(action)?.effect ?? "deny"];
  if (effect !== wanted) return { result: "RESULT_FAILED", failure: { expected: wanted, actual: effect } };
  const outputs = outputsOf(action, checked);
  const failures = outputFailures(expected.outputs.get(action) ?? new Map(), outputs);
  if (failures.length > 0) {
    return { result: "RESULT_FAILED", failure: { expected: wanted, actual: effect, outputs: failures } };
  }
  return { result: "RESULT_PASSED", success: { effect, ...(outputs.length === 0 ? {} : { outputs }) } };
}

function outputsOf(action: string, { outputs }: CheckResult): readonly OutputEntry[] {
  return outputs.filter((output) => output.action === action);
}

function outputFailures(
  expected: ReadonlyMap<string, JsonValue | undefined>,
  outputs: readonly OutputEntry[],
): readonly OutputFailure[] {
  const actual = new Map(outputs.map((output) => [output.src, output]));
  return [...expected].flatMap(([src, value]): readonly OutputFailure[] => {
    const wanted = value === undefined ? {} : { expected: value };
    const output = actual.get(src);
    if (output === undefined) return [{ src, missing: wanted }];
    const { val, error } = output;
    if (error !== undefined) return [{ src, errored: { error, ...wanted } }];
    if (sameValue(value, val)) return [];
    return [{ src, mismatched: { ...(val === undefined ? {} : { actual: val }), ...wanted } }];
  });
}

function collected(
  tests: readonly (readonly [MatrixTest, readonly ActionResults[]])[],
): Pick<SuiteResults, "summary" | "testCases"> {
  const cases = new Map<string, Map<string, { name: string; actions: readonly ActionResults[] }[]>>();
  for (const [{ table, principalName, resourceName }, actions] of tests) {
    const principals =
      cases.get(table.name) ?? new Map<string, { name: string; actions: readonly ActionResults[] }[]>();
    cases.set(table.name, principals);
    const resources = principals.get(principalName) ?? [];
    principals.set(principalName, resources);
    resources.push({ name: resourceName, actions });
  }
  const testCases: readonly TestCaseResults[] = [...cases].map(([name, principals]) => ({
    name,
    principals: [...principals].map(([principal, resources]) => ({ name: principal, resources })),
  }));
  return {
    summary: summaryOf(tests.flatMap(([, actions]) => actions.map(({ details }) => details))),
    testCases,
  };
}
