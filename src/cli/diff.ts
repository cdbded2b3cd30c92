/** `keyward diff`: what a change of policies changes in decisions. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { provenDiff } from "../audit/diff/diff.js";
import { diffText } from "../audit/diff/text.js";
import { compilePolicies, type PolicySet } from "../decisions/policy-set.js";
import { GitError, readPolicyRevision } from "../node/git.js";
import { type LoadOptions, loadPolicies } from "../node/load.js";
import { jsonText, printable } from "../policy/escape.js";
import type { PolicyIssue } from "../policy/issue.js";
import { type Arguments, choice, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { reportOfDiff } from "./findings/decision-changes.js";
import type { Report } from "./findings/finding.js";
import { findingOf, POLICY_RULES } from "./findings/policy-issues.js";
import { isReportFormat, printedReport, REPORT_FORMATS } from "./findings/print.js";
import { issueLine } from "./issues.js";
import { intoFile } from "./output-file.js";
import { paintFor } from "./paint.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { SOLVER_OPTIONS, withSolver } from "./solver-options.js";

export const DIFF_USAGE = `keyward diff OLD NEW ${POLICY_USAGE} [--reasons] [--allow-unproven] [--no-solver] [--time-limit SECONDS] [--format text|json|github|sarif] [--output FILE]
      (OLD and NEW: each a directory, or REVISION:DIR)
  keyward diff REVISION REVISION -- DIR ${POLICY_USAGE} [--reasons] [--allow-unproven] [--no-solver] [--time-limit SECONDS] [--format text|json|github|sarif] [--output FILE]`;

const OPTIONS = {
  ...POLICY_OPTIONS,
  ...SOLVER_OPTIONS,
  reasons: { type: "boolean" },
  "allow-unproven": { type: "boolean" },
  format: { type: "string" },
  output: { type: "string" },
} as const;

/** Where a set of policies is. */
type Source =
  | { readonly kind: "directory"; readonly directory: string }
  | { readonly kind: "revision"; readonly revision: string; readonly directory: string };

export async function diff(args: readonly string[], streams: Streams): Promise<ExitCode> {
  // Options may stand behind the `--` of the form with revisions too: DIR is one argument.
  const given = readArguments(
    args.filter((arg) => arg !== "--"),
    OPTIONS,
    3,
  );
  return intoFile(given.texts.get("output"), streams, (to) => compared(given, to));
}

async function compared(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, switches, positionals } = given;
  const compile = { ...loadOptionsOf(given), codegen: false };
  const format = choice("format", texts.get("format") ?? "text", ["text", "json", ...REPORT_FORMATS]);
  const { cwd = process.cwd() } = streams;
  const sources = await sourcesOf(positionals, cwd);
  const [before, after] = [await load(sources.before, cwd, compile), await load(sources.after, cwd, compile)];
  const invalid = [...issuesOf(sources.before, before), ...issuesOf(sources.after, after)];
  if (E.isLeft(before) || E.isLeft(after)) {
    for (const line of invalid) streams.err(`${line}\n`);
    if (isReportFormat(format)) streams.out(printedReport(reportOfSources(sources, before, after), format));
    return EXIT.policies;
  }
  const found = await withSolver(given, (solver) =>
    provenDiff(before.right, after.right, solver, { reasons: switches.has("reasons") }),
  );
  if (format === "json") streams.out(`${jsonText(found, 2)}\n`);
  else if (format === "text") streams.out(diffText(found, paintFor(streams)));
  else streams.out(printedReport(reportOfDiff(found, after.right, sources.after.directory), format));
  if (found.result === "unproven") return switches.has("allow-unproven") ? EXIT.ok : EXIT.unproven;
  return found.result === "equal" ? EXIT.ok : EXIT.failures;
}

type Loaded = E.Either<NonEmptyArray<PolicyIssue>, PolicySet>;

/** What is wrong with the policies. */
function reportOfSources(sources: { before: Source; after: Source }, before: Loaded, after: Loaded): Report {
  const findings = [
    { source: sources.before, loaded: before },
    { source: sources.after, loaded: after },
  ].flatMap(({ source, loaded }) =>
    E.isRight(loaded) ? [] : loaded.left.map((issue) => findingOf(issue, source.directory)),
  );
  return { findings, rules: POLICY_RULES };
}

async function sourcesOf(positionals: readonly string[], cwd: string): Promise<{ before: Source; after: Source }> {
  const [before, after, directory] = positionals;
  if (before === undefined || after === undefined) throw new UsageError(`usage: ${DIFF_USAGE}`);
  if (directory === undefined) return { before: await sourceOf(before, cwd), after: await sourceOf(after, cwd) };
  const revision = (name: string): Source => ({ kind: "revision", revision: name, directory });
  return { before: revision(before), after: revision(after) };
}

/** A directory that exists is one; otherwise what has a colon is a directory in a revision. */
async function sourceOf(text: string, cwd: string): Promise<Source> {
  const colon = text.indexOf(":");
  if (colon <= 0 || (await isDirectory(resolve(cwd, text)))) return { kind: "directory", directory: text };
  return { kind: "revision", revision: text.slice(0, colon), directory: text.slice(colon + 1) };
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function load(source: Source, cwd: string, options: LoadOptions): Promise<Loaded> {
  if (source.kind === "directory") {
    return await loadPolicies(await existingDirectory(resolve(cwd, source.directory)), options)();
  }
  try {
    const files = await readPolicyRevision(cwd, source.revision, source.directory, options);
    return E.isLeft(files) ? files : compilePolicies(files.right, options);
  } catch (error) {
    if (error instanceof GitError) throw new UsageError(error.message);
    throw error;
  }
}

function issuesOf(source: Source, loaded: Loaded): readonly string[] {
  if (E.isRight(loaded)) return [];
  const revision = source.kind === "revision" ? `${printable(source.revision)}:` : "";
  return loaded.left.map((issue) => `${revision}${issueLine(issue, source.directory)}`);
}
