/** `keyward test DIR`: do the policies pass their test suites? */

import * as E from "fp-ts/lib/Either.js";
import { PLAIN_TEXT } from "../../audit/style.js";
import { readPolicyDirectory } from "../../node/directory.js";
import { jsonText, printable } from "../../policy/escape.js";
import type { PolicyIssue } from "../../policy/issue.js";
import type { PolicyFile } from "../../policy/parse.js";
import {
  hasFailures,
  isAllLeftOut,
  readSuiteDirectory,
  runSuites,
  type TestReport,
  testResults,
} from "../../testing/suites.js";
import { existingDirectory } from "../directory.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "../exit.js";
import { reportOfIssues } from "../findings/policy-issues.js";
import { isReportFormat, printedReport } from "../findings/print.js";
import { reportOfTests } from "../findings/test-failures.js";
import { issueLine } from "../issues.js";
import { loadOptionalPackages } from "../optional-packages.js";
import { intoNamedFile } from "../output-file.js";
import { tellOverridden } from "../overridden.js";
import { paintFor } from "../paint.js";
import { Progress } from "../progress.js";
import { coverageFault, printCoverage } from "./coverage.js";
import { explainer } from "./explainer.js";
import { readTestOptions, type TestCommandOptions } from "./options.js";
import { failuresOf, outline, totals } from "./outline.js";
import { drawn, indented } from "./tree.js";

export async function testCommand(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const options = readTestOptions(args, streams);
  for (const directory of new Set([options.policies, options.tests])) await existingDirectory(directory);
  if (options.isFormatAsOutput) {
    streams.err(`keyward test: --output ${options.format} names a format; write --format ${options.format}\n`);
  }
  if (!options.watch) return await intoNamedFile(options.output, streams, (to) => runOnce(options, to));
  const { watchRuns } = await loadOptionalPackages("chokidar@5.0.0", () => import("../watch.js"));
  const directories = [...new Set([options.policies, options.tests])];
  const run = () => runOnce(options, streams);
  return await watchRuns({ command: "test", directories, written: options.coverageFile, run }, streams);
}

async function runOnce(options: TestCommandOptions, streams: Streams): Promise<ExitCode> {
  const policies = await readPolicyDirectory(options.policies, options.load)();
  if (E.isLeft(policies)) return refused(policies.left, EXIT.policies, options, streams);
  const suites = await readSuiteDirectory(options.tests, options.load)();
  if (E.isLeft(suites)) return refused(suites.left, EXIT.usage, options, streams);
  const progress = new Progress(streams);
  const measured = options.coverage !== undefined || options.minCoverage !== undefined;
  const { filter, ignoreSchemas, skipBatching, load } = options;
  const report = runSuites(policies.right, suites.right, {
    filter,
    ignoreSchemas,
    skipBatching,
    compile: load,
    coverage: measured,
    onProgress: (done, total) => progress.show(() => `${done} of ${total} suites`),
  });
  progress.clear();
  if (E.isLeft(report)) return refused(report.left, EXIT.policies, options, streams);
  tellOverridden({ overridden: report.right.overridden ?? [] }, streams);
  await printReport(report.right, policies.right, options, streams);
  return verdict(report.right, options, streams);
}

function refused(
  issues: readonly PolicyIssue[],
  code: ExitCode,
  { format, policies, tests }: TestCommandOptions,
  { out, err }: Streams,
): ExitCode {
  const directory = code === EXIT.policies ? policies : tests;
  for (const issue of issues) err(`${issueLine(issue, directory)}\n`);
  if (isReportFormat(format)) out(printedReport(reportOfIssues(issues, directory), format));
  return code;
}

async function printReport(
  report: TestReport,
  policies: readonly PolicyFile[],
  options: TestCommandOptions,
  streams: Streams,
): Promise<void> {
  const { out, err } = streams;
  const { coverage, ...results } = report;
  if (options.format === "json") out(`${jsonText(testResults(results), 2)}\n`);
  else if (options.format === "junit") {
    const { junitXml } = await import("./junit.js");
    out(`${junitXml(report, explainer(policies, options.load, PLAIN_TEXT))}\n`);
  } else if (isReportFormat(options.format)) {
    out(printedReport(reportOfTests(report, options.tests), options.format));
  } else out(text(report, policies, options, streams));
  if (hasNoSuites(report)) {
    const mend = options.passWithNoTests ? "" : "; --pass-with-no-tests if that is meant";
    err(`${printable(options.tests)}: no test suites (*_test.yaml, *.decisions.yaml)${mend}\n`);
  } else if (isAllLeftOut(report)) err(`${printable(options.tests)}: no test matches the filter\n`);
  if (coverage !== undefined) await printCoverage(coverage, options, streams);
}

function text(
  report: TestReport,
  policies: readonly PolicyFile[],
  { format, verbose, load }: TestCommandOptions,
  streams: Streams,
): string {
  const paint = paintFor(streams);
  const options = { verbose, explain: explainer(policies, load, paint), paint };
  const trees = outline(report, options);
  const lines = format === "list" ? indented(trees) : drawn(trees);
  return ["Test results", ...lines, "", totals(report, options), ""].join("\n");
}

function verdict(report: TestReport, { minCoverage, passWithNoTests }: TestCommandOptions, streams: Streams): ExitCode {
  const missed = report.coverage && coverageFault(report.coverage, minCoverage);
  const reasons = [...(hasFailures(report) ? [failuresOf(report)] : []), ...(missed === undefined ? [] : [missed])];
  if (reasons.length > 0) return endedBy("test", EXIT.failures, reasons.join("; "), streams);
  // A run without tests is an error: otherwise a misspelt path or name would pass forever.
  return isAllLeftOut(report) || (hasNoSuites(report) && !passWithNoTests) ? EXIT.usage : EXIT.ok;
}

function hasNoSuites({ suites, decisionSuites }: TestReport): boolean {
  return suites.length + decisionSuites.length === 0;
}
