/** The options of `keyward test`. */

import * as E from "fp-ts/lib/Either.js";
import type { LoadOptions } from "../../node/load.js";
import { parseFilter, type TestFilter } from "../../testing/suites.js";
import { argumentOf, choice, readArguments } from "../arguments.js";
import { UsageError } from "../exit.js";
import { isReportFormat } from "../findings/print.js";
import { loadOptionsOf } from "../policy-options.js";
import { COVERAGES, OUTPUTS, TEST } from "./usage.js";

export interface TestCommandOptions {
  readonly policies: string;
  /** Options for reading the policies; for decision suites, also their layers. */
  readonly load: LoadOptions;
  /** The directory of the suites. Default: that of the policies. */
  readonly tests: string;
  readonly output: (typeof OUTPUTS)[number];
  readonly verbose: boolean;
  readonly filter: TestFilter;
  readonly ignoreSchemas: boolean;
  readonly skipBatching: boolean;
  readonly coverage: (typeof COVERAGES)[number] | undefined;
  readonly coverageFile: string | undefined;
  readonly minCoverage: number | undefined;
  readonly watch: boolean;
  /** Whether a run without suites is accepted. */
  readonly passWithNoTests: boolean;
}

/** Throws a {@link UsageError} for invalid or contradictory options. */
export function readTestOptions(args: readonly string[]): TestCommandOptions {
  const given = readArguments(args, TEST, 1);
  const { texts, lists, switches } = given;
  const policies = argumentOf(given, 0, "DIR");
  const filter = parseFilter([...(lists.get("filter") ?? []), ...(lists.get("test-filter") ?? [])], texts.get("run"));
  if (E.isLeft(filter)) throw new UsageError(`invalid filter: ${filter.left}`);
  const output = choice("output", texts.get("output") ?? "tree", OUTPUTS);
  const coverageFile = texts.get("coverage-file");
  const asked = texts.get("coverage");
  if (coverageFile !== undefined && asked === undefined) throw new UsageError("--coverage-file goes with --coverage");
  const coverage = asked === undefined ? undefined : choice("coverage", asked, COVERAGES);
  const data = coverage === "json" || coverage === "lcov";
  if (data && coverageFile === undefined && (output === "json" || output === "junit" || isReportFormat(output))) {
    throw new UsageError(`--coverage ${coverage} beside --output ${output} needs a --coverage-file`);
  }
  return {
    policies,
    load: loadOptionsOf(given),
    tests: texts.get("tests") ?? policies,
    output,
    verbose: switches.has("verbose"),
    filter: filter.right,
    ignoreSchemas: switches.has("ignore-schemas"),
    skipBatching: switches.has("skip-batching"),
    coverage,
    coverageFile,
    minCoverage: percentage(texts.get("min-coverage")),
    watch: switches.has("watch"),
    passWithNoTests: switches.has("pass-with-no-tests"),
  };
}

function percentage(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0 && number <= 100)) {
    throw new UsageError("--min-coverage must be a number from 0 to 100");
  }
  return number;
}
