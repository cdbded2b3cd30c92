/** The options of `keyward test`. */

import * as E from "fp-ts/lib/Either.js";
import type { LoadOptions } from "../../node/load.js";
import { parseFilter, type TestFilter } from "../../testing/suites.js";
import { choice, policiesOf, readArguments } from "../arguments.js";
import { type Streams, UsageError } from "../exit.js";
import { isReportFormat } from "../findings/print.js";
import { outputOf } from "../output-file.js";
import { loadOptionsOf } from "../policy-options.js";
import { expectSeparateFiles } from "../separate-files.js";
import { COVERAGES, OUTPUTS, TEST } from "./usage.js";

type TestFormat = (typeof OUTPUTS)[number];

export interface TestCommandOptions {
  readonly policies: string;
  /** Options for reading the policies; for decision suites, also their layers. */
  readonly load: LoadOptions;
  /** The directory of the suites. Default: that of the policies. */
  readonly tests: string;
  readonly format: TestFormat;
  /** The file for the results. Undefined: standard output. */
  readonly output: string | undefined;
  /** The format was given as `--output`. */
  readonly isFormatAsOutput: boolean;
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
export function readTestOptions(args: readonly string[], streams: Streams): TestCommandOptions {
  const given = readArguments(args, TEST, 1);
  expectSeparateFiles(given, streams);
  const { texts, lists, switches } = given;
  const policies = policiesOf(given);
  const filter = parseFilter([...(lists.get("filter") ?? []), ...(lists.get("test-filter") ?? [])], texts.get("run"));
  if (E.isLeft(filter)) throw new UsageError(`invalid filter: ${filter.left}`);
  const { format, ...target } = formatAndFile(texts.get("format"), outputOf(given));
  const watch = switches.has("watch");
  if (watch && target.output !== undefined) throw new UsageError("--output FILE does not go with --watch");
  const coverageFile = texts.get("coverage-file");
  const asked = texts.get("coverage");
  if (coverageFile !== undefined && asked === undefined) throw new UsageError("--coverage-file goes with --coverage");
  const coverage = asked === undefined ? undefined : choice("coverage", asked, COVERAGES);
  const data = coverage === "json" || coverage === "lcov";
  if (data && coverageFile === undefined && (format === "json" || format === "junit" || isReportFormat(format))) {
    throw new UsageError(`--coverage ${coverage} beside --format ${format} needs a --coverage-file`);
  }
  return {
    policies,
    load: loadOptionsOf(given),
    tests: texts.get("tests") ?? policies,
    format,
    ...target,
    verbose: switches.has("verbose"),
    filter: filter.right,
    ignoreSchemas: switches.has("ignore-schemas"),
    skipBatching: switches.has("skip-batching"),
    coverage,
    coverageFile,
    minCoverage: percentage(texts.get("min-coverage")),
    watch,
    passWithNoTests: switches.has("pass-with-no-tests"),
  };
}

/** `--output FORMAT`, an older spelling of `--format`, is read as one unless both are given. */
function formatAndFile(
  form: string | undefined,
  output: string | undefined,
): Pick<TestCommandOptions, "format" | "output" | "isFormatAsOutput"> {
  const older = form === undefined ? OUTPUTS.find((name) => name === output) : undefined;
  if (older !== undefined) return { format: older, output: undefined, isFormatAsOutput: true };
  return { format: choice("format", form ?? "tree", OUTPUTS), output, isFormatAsOutput: false };
}

function percentage(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0 && number <= 100)) {
    throw new UsageError("--min-coverage must be a number from 0 to 100");
  }
  return number;
}
