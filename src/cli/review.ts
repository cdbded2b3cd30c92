/** `keyward review`: what an auditor reads. */

import * as E from "fp-ts/lib/Either.js";
import { findingCounts } from "../audit/findings/finding.js";
import { conclusionOf } from "../audit/review/change/change.js";
import { conclusionWords } from "../audit/review/change/words.js";
import { evidenceOf } from "../audit/review/evidence.js";
import { changeHtml, type Example, reviewHtml } from "../audit/review/html/page.js";
import { changeMarkdown, reviewMarkdown } from "../audit/review/markdown.js";
import type { ReviewOptions } from "../audit/review/review.js";
import { sha256 } from "../bundle/digest.js";
import type { LoadOptions } from "../node/load.js";
import { reviewPanel } from "../node/review-panel.js";
import { jsonText, printable } from "../policy/escape.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { hasFailures } from "../testing/run.js";
import { type Arguments, choice, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { writeOutput } from "./output-file.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { inDirectory, type PolicySource, sourceOf } from "./policy-source.js";
import { readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";
import { NOTHING_PROVED, prove, readSet, testsOf } from "./reviewed-set.js";
import { PROVE_OPTIONS, SOLVER_OPTIONS, withProofs } from "./solver-options.js";

export const REVIEW_USAGE =
  `keyward review DIR ${POLICY_USAGE} [--format html|json|markdown] [--output FILE]\n` +
  "      [--roles A,B] [--examples FILE] [--date T] [--prove] [--time-limit SECONDS]\n" +
  "      [--against OLD] [--evidence FILE] [--claims FILE] [--allow-unproven] [--no-solver]\n" +
  "      (OLD: a directory, or REVISION:DIR)";

/** What goes with `--against` and `--evidence`. */
const PROOF_OPTIONS = {
  ...SOLVER_OPTIONS,
  claims: { type: "string" },
  "allow-unproven": { type: "boolean" },
} as const;

const OPTIONS = {
  ...POLICY_OPTIONS,
  ...PROOF_OPTIONS,
  ...PROVE_OPTIONS,
  format: { type: "string" },
  output: { type: "string" },
  roles: { type: "string" },
  examples: { type: "string" },
  date: { type: "string" },
  against: { type: "string" },
  evidence: { type: "string" },
} as const;

export async function review(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, OPTIONS, 1);
  const { texts, switches, positionals } = given;
  const load = { ...loadOptionsOf(given), codegen: false };
  const format = choice("format", texts.get("format") ?? "html", ["html", "json", "markdown"]);
  const [directory] = positionals;
  if (directory === undefined) throw new UsageError(`usage: ${REVIEW_USAGE}`);
  const { cwd = process.cwd() } = streams;
  const [against, evidenceFile] = [texts.get("against"), texts.get("evidence")];
  const proves = against !== undefined || evidenceFile !== undefined;
  const isGiven = (name: string) => texts.has(name) || switches.has(name);
  const early = Object.keys(PROOF_OPTIONS).find(
    (name) => isGiven(name) && !(name === "time-limit" && switches.has("prove")),
  );
  if (!proves && early !== undefined) throw new UsageError(`--${early} goes with --against or --evidence`);
  const asked = {
    load,
    examples: await readExamples(texts.get("examples"), load.platform === "none", streams),
    options: { date: dateOf(texts.get("date")), ...rolesOf(texts.get("roles")) },
    source: inDirectory(directory, cwd),
    older: against === undefined ? undefined : await sourceOf(against, cwd),
    format,
    proves,
    evidenceFile,
    cwd,
  };
  return await withProofs(given, (solver) => reviewed(asked, given, streams, solver), proves);
}

/** What a review is made of. */
interface Asked {
  readonly load: LoadOptions;
  readonly examples: readonly Example[];
  readonly options: Omit<ReviewOptions, "tested" | "solver">;
  readonly source: PolicySource;
  readonly older: PolicySource | undefined;
  readonly format: "html" | "json" | "markdown";
  /** Whether claims are proved. */
  readonly proves: boolean;
  readonly evidenceFile: string | undefined;
  readonly cwd: string;
}

async function reviewed(
  { load, examples, options, source, older, format, proves, evidenceFile, cwd }: Asked,
  given: Arguments,
  streams: Streams,
  solver: Solver | NoSolver | undefined,
): Promise<ExitCode> {
  const { texts, switches } = given;
  const proven = { ...options, ...(switches.has("prove") && isSolver(solver) ? { solver } : {}) };
  const read = await readSet(source, load, proven);
  const readOlder = older && (await readSet(older, load, proven));
  if (E.isLeft(read) || (readOlder !== undefined && E.isLeft(readOlder))) {
    const lines = [read, ...(readOlder === undefined ? [] : [readOlder])].flatMap((one) =>
      E.isLeft(one) ? one.left : [],
    );
    for (const line of lines) streams.err(`${line}\n`);
    return EXIT.policies;
  }
  const set = read.right;
  for (const issue of set.faults) streams.err(`${source.line(issue)}\n`);
  if (set.faults.length > 0) throw new UsageError("the test suites cannot be read");
  const proved = proves
    ? await prove(source, set, older && readOlder && { source: older, set: readOlder.right }, given, solver, cwd)
    : NOTHING_PROVED;
  if ("issues" in proved) {
    for (const issue of proved.issues) streams.err(`${source.line(issue)}\n`);
    return EXIT.usage;
  }
  const { change } = proved;
  const tests = evidenceFile === undefined ? undefined : testsOf(set, load);
  const evidence =
    tests && `${jsonText(await evidenceOf({ set: { ...set, claims: proved.claimFiles }, tests, ...proved }), 2)}\n`;
  const facts = set.review;
  const page = change && {
    review: change.review,
    before: change.before.policies,
    ...(evidence === undefined ? {} : { evidence: await sha256(evidence) }),
  };
  const texted = {
    html: async () => {
      const shown = { panel: await reviewPanel(), examples };
      return await (page === undefined
        ? reviewHtml(set.policies, facts, shown)
        : changeHtml(set.policies, facts, page, shown));
    },
    json: async () => `${jsonText(page === undefined ? facts : { ...facts, change: page.review }, 2)}\n`,
    markdown: async () =>
      page === undefined ? reviewMarkdown(facts) : changeMarkdown(facts, page.review, page.evidence),
  };
  const text = await texted[format]();
  if (evidence !== undefined && evidenceFile !== undefined) await writeOutput(evidenceFile, evidence, cwd);
  const output = texts.get("output");
  if (output === undefined) streams.out(text);
  else {
    await writeOutput(output, text, cwd);
    const { operations, rules, findings } = facts;
    const counts = `${operations.length} operations, ${rules.length} rules, ${findingCounts(findings)}`;
    streams.err(`${printable(output)}: ${counts}\n`);
    for (const line of page === undefined ? [] : conclusionWords(page.review)) streams.err(`${printable(line)}\n`);
  }
  if (tests !== undefined && hasFailures(tests)) return EXIT.failures;
  const conclusion = conclusionOf(proved.claims, change?.review);
  if (conclusion === "changes") return EXIT.failures;
  return conclusion === "unproven" && !switches.has("allow-unproven") ? EXIT.unproven : EXIT.ok;
}

/** `--date`, or else `SOURCE_DATE_EPOCH` (seconds), or else now. */
function dateOf(text: string | undefined): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (text === undefined && (epoch === undefined || epoch === "")) return new Date();
  const date = text === undefined ? new Date(Number(epoch) * 1000) : new Date(text);
  if (Number.isNaN(date.getTime()) || (text !== undefined && !/^\d{4}-\d\d-\d\d/.test(text))) {
    throw new UsageError(
      text === undefined ? "SOURCE_DATE_EPOCH must be a number of seconds" : "--date must be a date, as in 2026-01-31",
    );
  }
  return date;
}

/** The roles that there are, if that is said. */
function rolesOf(text: string | undefined): Pick<ReviewOptions, "roles"> {
  if (text === undefined) return {};
  const roles = text.split(",").map((role) => role.trim());
  if (roles.includes("")) throw new UsageError("--roles must be names of roles with commas between them");
  return { roles };
}

/** Requests as `keyward decide` takes them, each with its name as `example`; other fields of it are left aside. */
async function readExamples(
  path: string | undefined,
  permissionOnly: boolean,
  streams: Streams,
): Promise<readonly Example[]> {
  if (path === undefined) return [];
  const examples: Example[] = [];
  for await (const json of readJsonValues(readInput(path, streams))) {
    const number = examples.length + 1;
    if (!json.ok) throw new UsageError(`${path}: example ${number}: ${json.message}`);
    const { name, value } = named(json.value, `example ${number}`);
    const request = readRequest({ ok: true, value }, { permissionOnly });
    if (!request.ok) {
      const [issue] = request.invalid.invalid;
      throw new UsageError(`${path}: ${name}: ${issue?.path ?? ""} ${issue?.message ?? ""}`);
    }
    examples.push({ name, request: request.request });
  }
  return examples;
}

/** What an example says of its request, besides the request. */
const SAID = ["example", "expect", "reasons"];

function named(value: unknown, otherwise: string): { readonly name: string; readonly value: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { name: otherwise, value };
  const entries = Object.entries(value);
  const name: unknown = entries.find(([field]) => field === "example")?.[1];
  const request = Object.fromEntries(entries.filter(([field]) => !SAID.includes(field)));
  return { name: typeof name === "string" ? name : otherwise, value: request };
}
