/** `keyward mutate DIR`: do the tests and claims notice when a policy changes? */

import { readFile } from "node:fs/promises";
import * as E from "fp-ts/lib/Either.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { changedLines, isOnLines } from "../mutate/changed-lines.js";
import { ClaimChecks, SuiteChecks } from "../mutate/checks.js";
import type { Mutant } from "../mutate/mutants.js";
import type { MutationReport } from "../mutate/report.js";
import { runMutants } from "../mutate/run.js";
import { UnusableSuite, withCases } from "../mutate/suite-text.js";
import { mutationText, mutationTotals } from "../mutate/text.js";
import { GitError, readPolicyRevision } from "../node/git.js";
import { jsonText } from "../policy/escape.js";
import type { PolicyIssue } from "../policy/issue.js";
import { isSolver } from "../solver/no-solver.js";
import { TimedSolver, TimeLimit } from "../solver/timed-solver.js";
import { readSuiteDirectory } from "../testing/directory.js";
import { isDecisionSuite } from "../testing/files.js";
import { type Arguments, choice, countOf, policiesOf, readArguments } from "./arguments.js";
import { existingDirectory, pathFrom } from "./directory.js";
import { EXIT, type ExitCode, endedBy, messageOf, type Streams, UsageError } from "./exit.js";
import { reportOfMutants } from "./findings/mutants.js";
import { isReportFormat, printedReport, REPORT_FORMATS } from "./findings/print.js";
import { issueLine } from "./issues.js";
import { loadSet } from "./load-set.js";
import { loadOptionalPackages } from "./optional-packages.js";
import { intoFile, OUTPUT_OPTION, outputOf, writeOutput } from "./output-file.js";
import { paintFor } from "./paint.js";
import { DIR_OPTIONS, loadOptionsOf, readOptionsOf } from "./policy-options.js";
import { Progress } from "./progress.js";
import { claimsIn } from "./read-claims.js";
import { TOTAL_OPTIONS, totalTimeOf, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json", ...REPORT_FORMATS] as const;

export const MUTATE: Usage = {
  name: "mutate",
  takes: ["DIR"],
  does: "Changes the policies in one place at a time, and reports the changes that no suite and no claim in DIR notices. Exit code 0: each change is noticed, or proved to change no decision; 4: one survives, with a request that shows it; 5: none survives, but not all is proved.",
  options: {
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    tests: { value: "DIR", does: "the directory of the suites (default: that of the policies)" },
    max: { value: "N", does: "run at most N mutants, drawn by the seed (default: all)" },
    seed: { value: "S", does: "a number that determines which mutants --max draws (default: 1)" },
    min: { value: "PERCENT", does: "the lowest score for exit code 0 (default: 100)" },
    since: { value: "REVISION", does: "only mutants of lines that changed since a revision of the git repository" },
    watch: { does: "run again when a file changes" },
    write: { value: "FILE", does: "append test cases that kill the survivors to a decision suite" },
    ...TOTAL_OPTIONS,
    ...DIR_OPTIONS,
  },
};

export function mutate(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, MUTATE, 1);
  return given.switches.has("watch") ? watched(given, streams) : intoFile(given, streams, mutated);
}

async function watched(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts } = given;
  if (outputOf(given) !== undefined) throw new UsageError("--output FILE does not go with --watch");
  if (texts.has("write")) throw new UsageError("--write FILE does not go with --watch");
  const { watchRuns } = await loadOptionalPackages("chokidar@5.0.0", () => import("./watch.js"));
  const paths = [policiesOf(given), texts.get("tests") ?? policiesOf(given)].map((path) => pathFrom(streams.cwd, path));
  const directories = await Promise.all([...new Set(paths)].map(existingDirectory));
  const run = (signal: AbortSignal) => mutated(given, streams, signal);
  return await watchRuns({ command: "mutate", directories, run }, streams);
}

async function mutated(given: Arguments, streams: Streams, signal?: AbortSignal): Promise<ExitCode> {
  const { texts } = given;
  const name = policiesOf(given);
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const min = percentage(texts.get("min"));
  const [max, seed] = [countOf("max", texts.get("max"), 1), countOf("seed", texts.get("seed"))];
  const file = texts.get("write");
  if (file !== undefined && !isDecisionSuite(file)) {
    throw new UsageError("--write takes a decision suite: *.decisions.yaml, .yml or .json");
  }
  const path = await existingDirectory(pathFrom(streams.cwd, name));
  const set = await loadSet(path, given, streams);
  if (set === undefined) return EXIT.policies;
  const compile = loadOptionsOf(given);
  const tests = texts.get("tests");
  const suites = await suitesIn(tests === undefined ? path : pathFrom(streams.cwd, tests), set, given);
  if (E.isLeft(suites)) return refused(suites.left, tests ?? name, streams);
  const claims = await claimsIn(path, readOptionsOf(given));
  if (claims.issues.length > 0) return refused(claims.issues, name, streams);
  const failing = suites.right.unfit(set) ?? suites.right.failing({ set, files: set.files });
  if (failing !== undefined) {
    return endedBy("mutate", EXIT.failures, `a test fails on the policies themselves: ${failing}`, streams);
  }
  const isWanted = await wantedSince(texts.get("since"), name, set, streams);
  const progress = new Progress(streams);
  const { timeLimit } = totalTimeOf(given);
  const report = await withSolver(given, async (installed) => {
    const solver = isSolver(installed) ? new TimedSolver(installed, new TimeLimit(timeLimit)) : installed;
    const checks = await ClaimChecks.of(claims.claims, set, solver);
    if (E.isLeft(checks)) return checks;
    const onProgress = (done: number, total: number) => progress.show(() => `${done} of ${total} mutants`);
    const options = { compile, max, seed, isWanted, onProgress, signal };
    return E.right(await runMutants(set, { suites: suites.right, claims: checks.right }, solver, options));
  });
  progress.clear();
  if (E.isLeft(report)) return refused(report.left, name, streams);
  if (signal?.aborted === true) return EXIT.ok;
  if (file !== undefined) await writeCases(file, report.right, streams.cwd);
  print(report.right, format, name, streams);
  return ending(report.right, min, streams);
}

function print(report: MutationReport, format: (typeof FORMATS)[number], directory: string, streams: Streams): void {
  if (format === "json") streams.out(`${jsonText(report, 2)}\n`);
  else if (format === "text") streams.out(mutationText(report, paintFor(streams)));
  else if (isReportFormat(format)) streams.out(printedReport(reportOfMutants(report, directory), format));
}

function ending(report: MutationReport, min: number, streams: Streams): ExitCode {
  if (report.score >= min) return EXIT.ok;
  const code = report.survivors.length > 0 ? EXIT.failures : EXIT.unproven;
  return endedBy("mutate", code, mutationTotals(report), streams);
}

async function suitesIn(
  path: string,
  set: PolicySet,
  given: Arguments,
): Promise<E.Either<readonly PolicyIssue[], SuiteChecks>> {
  const files = await readSuiteDirectory(await existingDirectory(path), readOptionsOf(given))();
  return E.isLeft(files) ? files : SuiteChecks.read(files.right, set, loadOptionsOf(given));
}

function refused(issues: readonly PolicyIssue[], directory: string, { err }: Streams): ExitCode {
  for (const issue of issues) err(`${issueLine(issue, directory)}\n`);
  return EXIT.usage;
}

/** Selects the mutants of lines that changed since a revision. */
async function wantedSince(
  revision: string | undefined,
  directory: string,
  { files }: PolicySet,
  { cwd = process.cwd() }: Streams,
): Promise<((mutant: Mutant) => boolean) | undefined> {
  if (revision === undefined) return undefined;
  const before = await revisionFiles(cwd, revision, directory);
  const lines = new Map(files.map(({ path, text }) => [path, changedLines(before.get(path) ?? "", text)]));
  return (mutant) => isOnLines(mutant, lines.get(mutant.file) ?? new Set());
}

async function revisionFiles(cwd: string, revision: string, directory: string): Promise<ReadonlyMap<string, string>> {
  try {
    const read = await readPolicyRevision(cwd, revision, directory, { lock: "ignored" });
    if (E.isRight(read)) return new Map(read.right.map(({ path, text }) => [path, text]));
    throw new UsageError(`--since: ${read.left.map((issue) => issueLine(issue, directory)).join("\n")}`);
  } catch (error) {
    if (error instanceof GitError) throw new UsageError(`--since: ${error.message}`);
    throw error;
  }
}

async function writeCases(file: string, { survivors }: MutationReport, cwd: string | undefined): Promise<void> {
  if (survivors.length === 0) return;
  const path = pathFrom(cwd, file);
  let text: string | undefined;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw new UsageError(`cannot read ${file}: ${messageOf(error)}`);
  }
  try {
    await writeOutput(file, withCases(text, survivors, file.endsWith(".json")), cwd);
  } catch (error) {
    if (error instanceof UnusableSuite) throw new UsageError(`cannot append to ${file}: ${error.message}`);
    throw error;
  }
}

function percentage(text: string | undefined): number {
  if (text === undefined) return 100;
  const number = Number(text);
  if (text.trim() !== "" && number >= 0 && number <= 100) return number;
  throw new UsageError("--min must be a number from 0 to 100");
}
