/** `keyward diff`: which decisions does a change of policies change? */

import * as E from "fp-ts/lib/Either.js";
import { diffText } from "../audit/diff/text.js";
import type { PolicyDiff } from "../audit/diff/types.js";
import { diffPolicies } from "../audit/diff/versions.js";
import { plural } from "../audit/plural.js";
import { decisionsWords } from "../audit/review/change/words.js";
import { diffEvidence, evidenceDiffText } from "../audit/review/evidence-diff.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, argumentOf, choice, expectAbsent, misused, readArguments } from "./arguments.js";
import { pathFrom } from "./directory.js";
import { evidenceIn } from "./evidence-file.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "./exit.js";
import { reportOfDiff } from "./findings/decision-changes.js";
import type { CliReport } from "./findings/finding.js";
import { findingOf, POLICY_RULES } from "./findings/policy-issues.js";
import { isReportFormat, printedReport, REPORT_FORMATS } from "./findings/print.js";
import { expectNoBundle, expectNoDirectory, isFile, readGiven } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { loadOptionsOf, POLICY_OPTIONS, SET_OPTIONS } from "./policy-options.js";
import {
  inBundle,
  inRevision,
  isDirectory,
  type LoadedPolicies,
  type PolicySource,
  sourceOf,
} from "./policy-source.js";
import { Progress } from "./progress.js";
import { TOTAL_OPTIONS, totalTimeOf, UNPROVEN_OPTION, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json", ...REPORT_FORMATS] as const;

export const DIFF: Usage = {
  name: "diff",
  takes: ["OLD NEW", "REVISION REVISION -- DIR"],
  does: "Compares the decisions of two policy sets. Exit code 0: no decision changes (proved); 4: some change; 5: no change was found, but this is not proved. OLD and NEW are each a directory, REVISION:DIR (of a git repository), or a bundle.",
  options: {
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    reasons: { does: "also report decisions that change only their reasons; they count as changes (exit code 4)" },
    evidence: { does: "OLD and NEW are evidence files of two reviews: report the changes between them" },
    "allow-unproven": UNPROVEN_OPTION,
    ...TOTAL_OPTIONS,
    ...POLICY_OPTIONS,
    "public-key": SET_OPTIONS["public-key"],
  },
};

export function diff(args: readonly string[], streams: Streams): Promise<ExitCode> {
  // Options may also follow the `--` of the form with revisions, since DIR is a single argument.
  const given = readArguments(
    args.filter((arg) => arg !== "--"),
    DIFF,
    3,
  );
  return intoFile(given, streams, (_, to) => compared(given, to, args.includes("--")));
}

async function compared(given: Arguments, streams: Streams, isOfRevisions: boolean): Promise<ExitCode> {
  const { texts, switches } = given;
  if (switches.has("evidence")) return await evidenceCompared(given, streams);
  const compile = { ...loadOptionsOf(given), codegen: false };
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const sources = await sourcesOf(given, streams.cwd, isOfRevisions);
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
    diffPolicies(before.right, after.right, solver, {
      ...{ reasons: switches.has("reasons"), ...totalTimeOf(given) },
      onProgress: (what, done, total) => progress.show(() => `${done} of ${total} ${STEPS[what]}`),
    }),
  );
  progress.clear();
  if (format === "json") streams.out(`${jsonText(found, 2)}\n`);
  else if (format === "text") streams.out(diffText(found, paintFor(streams)));
  else streams.out(printedReport(reportOfDiff(found, after.right, sources.after.directory), format));
  const reasons = found.silent.filter((change) => change.class === "reasons").length;
  if (reasons > 0 && found.result !== "changes") {
    return endedBy("diff", EXIT.failures, `the reasons of ${plural(reasons, "decision")} change`, streams);
  }
  if (found.result === "equal" || (found.result === "unproven" && switches.has("allow-unproven"))) return EXIT.ok;
  const code = found.result === "unproven" ? EXIT.unproven : EXIT.failures;
  return endedBy("diff", code, diffReason(found), streams);
}

/** Options that have an effect on evidence. */
const EVIDENCE_OPTIONS: readonly string[] = ["evidence", "format", "output"];

/** Compares the evidence of two reviews: exit code 0 if both say the same, otherwise 4. */
async function evidenceCompared(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { cwd } = streams;
  const others = Object.keys(DIFF.options).filter((name) => !EVIDENCE_OPTIONS.includes(name));
  expectAbsent(given, others, "does not go with --evidence");
  if (given.positionals.length > 2) throw misused(DIFF, `too many arguments: ${given.positionals[2]}`);
  const format = choice("format", given.texts.get("format") ?? "text", ["text", "json"] as const);
  const read = async (path: string) => evidenceIn(path, (await readGiven(pathFrom(cwd, path))).toString("utf8"));
  const [before, after] = [await read(argumentOf(given, 0, "OLD")), await read(argumentOf(given, 1, "NEW"))];
  const changes = diffEvidence(before, after);
  streams.out(format === "json" ? `${jsonText({ changes }, 2)}\n` : evidenceDiffText(changes));
  if (changes.length === 0) return EXIT.ok;
  return endedBy("diff", EXIT.failures, `the evidence differs in ${plural(changes.length, "place")}`, streams);
}

/** Why the command ends with 4 or 5. */
function diffReason(found: PolicyDiff): string {
  if (found.result === "changes") return decisionsWords(found);
  const open = new Set(found.unproven.map(({ kind, operation }) => JSON.stringify([kind, operation]))).size;
  return `${decisionsWords(found)} Not proved unchanged: ${plural(open, "operation")}.`;
}

const STEPS = {
  compared: "operations compared",
  asked: "remaining operations sent to the solver",
  extended: "changes searched for their extent",
} as const;

/** The sources of both sides of a comparison. */
interface DiffSources {
  readonly before: PolicySource;
  readonly after: PolicySource;
}

/** The faults of the policies, as a report. */
function reportOfSources(sources: DiffSources, before: LoadedPolicies, after: LoadedPolicies): CliReport {
  const findings = [
    { source: sources.before, loaded: before },
    { source: sources.after, loaded: after },
  ].flatMap(({ source, loaded }) =>
    E.isRight(loaded) ? [] : loaded.left.map((issue) => findingOf(issue, source.directory)),
  );
  return { findings, rules: POLICY_RULES };
}

async function sourcesOf(given: Arguments, cwd: string | undefined, isOfRevisions: boolean): Promise<DiffSources> {
  const [before, after] = [argumentOf(given, 0, "OLD"), argumentOf(given, 1, "NEW")];
  const [, , directory] = given.positionals;
  // The name of an existing directory is not taken for a revision.
  if (directory !== undefined && !isOfRevisions && (await isDirectory(pathFrom(cwd, before)))) {
    throw misused(DIFF, `too many arguments: ${directory}`);
  }
  const bundles = new Set<string>();
  for (const one of directory === undefined ? [before, after] : [])
    if (await isFile(pathFrom(cwd, one))) bundles.add(one);
  if (bundles.size === 0) expectNoBundle(given);
  if (bundles.has(before) && bundles.has(after)) expectNoDirectory(given);
  const source = async (text: string): Promise<PolicySource> => {
    if (directory !== undefined) return inRevision(text, directory, cwd);
    return bundles.has(text) ? inBundle(pathFrom(cwd, text), given) : await sourceOf(text, cwd);
  };
  return { before: await source(before), after: await source(after) };
}

function issuesOf(source: PolicySource, loaded: LoadedPolicies): readonly string[] {
  return E.isRight(loaded) ? [] : loaded.left.map((issue) => source.line(issue));
}
