/** `keyward diff`: what a change of policies changes in decisions. */

import { resolve } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import { provenDiff } from "../audit/diff/diff.js";
import { diffText } from "../audit/diff/text.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, choice, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { reportOfDiff } from "./findings/decision-changes.js";
import type { Report } from "./findings/finding.js";
import { findingOf, POLICY_RULES } from "./findings/policy-issues.js";
import { isReportFormat, printedReport, REPORT_FORMATS } from "./findings/print.js";
import { isFile } from "./load-set.js";
import { intoFile } from "./output-file.js";
import { paintFor } from "./paint.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { inBundle, inRevision, type Loaded, type PolicySource, sourceOf } from "./policy-source.js";
import { Progress } from "./progress.js";
import { TOTAL_OPTIONS, TOTAL_OPTIONS_USAGE, totalTimeOf, withSolver } from "./solver-options.js";

export const DIFF_USAGE = `keyward diff OLD NEW ${POLICY_USAGE} [--public-key FILE] [--reasons] [--allow-unproven] ${TOTAL_OPTIONS_USAGE} [--format text|json|github|sarif] [--output FILE]
      (OLD and NEW: each a directory, REVISION:DIR, or a bundle)
  keyward diff REVISION REVISION -- DIR ${POLICY_USAGE} [--reasons] [--allow-unproven] ${TOTAL_OPTIONS_USAGE} [--format text|json|github|sarif] [--output FILE]`;

const OPTIONS = {
  ...POLICY_OPTIONS,
  ...TOTAL_OPTIONS,
  "public-key": { type: "string" },
  reasons: { type: "boolean" },
  "allow-unproven": { type: "boolean" },
  format: { type: "string" },
  output: { type: "string" },
} as const;

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
  const sources = await sourcesOf(positionals, cwd, given);
  const [before, after] = [await sources.before.policies(compile), await sources.after.policies(compile)];
  if (E.isLeft(before) || E.isLeft(after)) {
    for (const line of [...issuesOf(sources.before, before), ...issuesOf(sources.after, after)]) {
      streams.err(`${line}\n`);
    }
    if (isReportFormat(format)) streams.out(printedReport(reportOfSources(sources, before, after), format));
    return EXIT.policies;
  }
  const progress = new Progress(streams);
  const found = await withSolver(given, (solver) =>
    provenDiff(before.right, after.right, solver, {
      ...{ reasons: switches.has("reasons"), ...totalTimeOf(given) },
      onProgress: (what, done, total) => progress.show(() => `${done} of ${total} operations ${STEPS[what]}`),
    }),
  );
  progress.clear();
  if (format === "json") streams.out(`${jsonText(found, 2)}\n`);
  else if (format === "text") streams.out(diffText(found, paintFor(streams)));
  else streams.out(printedReport(reportOfDiff(found, after.right, sources.after.directory), format));
  if (found.result === "unproven") return switches.has("allow-unproven") ? EXIT.ok : EXIT.unproven;
  return found.result === "equal" ? EXIT.ok : EXIT.failures;
}

const STEPS = { compared: "compared", asked: "that are left asked about" } as const;

/** Both sides of a comparison. */
interface Sources {
  readonly before: PolicySource;
  readonly after: PolicySource;
}

/** What is wrong with the policies. */
function reportOfSources(sources: Sources, before: Loaded, after: Loaded): Report {
  const findings = [
    { source: sources.before, loaded: before },
    { source: sources.after, loaded: after },
  ].flatMap(({ source, loaded }) =>
    E.isRight(loaded) ? [] : loaded.left.map((issue) => findingOf(issue, source.directory)),
  );
  return { findings, rules: POLICY_RULES };
}

async function sourcesOf(positionals: readonly string[], cwd: string, given: Arguments): Promise<Sources> {
  const [before, after, directory] = positionals;
  if (before === undefined || after === undefined) throw new UsageError(`usage: ${DIFF_USAGE}`);
  const bundles = new Set<string>();
  for (const one of directory === undefined ? [before, after] : [])
    if (await isFile(resolve(cwd, one))) bundles.add(one);
  if (given.texts.has("public-key") && bundles.size === 0) throw new UsageError("--public-key goes with a bundle");
  const source = async (text: string): Promise<PolicySource> => {
    if (directory !== undefined) return inRevision(text, directory, cwd);
    return bundles.has(text) ? inBundle(resolve(cwd, text), given) : await sourceOf(text, cwd);
  };
  return { before: await source(before), after: await source(after) };
}

function issuesOf(source: PolicySource, loaded: Loaded): readonly string[] {
  return E.isRight(loaded) ? [] : loaded.left.map((issue) => source.line(issue));
}
