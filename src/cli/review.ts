/** `keyward review`: writes the page for auditors. */

import type { KeyObject } from "node:crypto";
import * as E from "fp-ts/lib/Either.js";
import { findingCounts } from "../audit/findings/finding.js";
import { plural } from "../audit/plural.js";
import { partsOf, type ReviewConclusion, reviewConclusion, shownFailures } from "../audit/review/conclusion.js";
import { evidenceOf } from "../audit/review/evidence.js";
import { changeHtml, type ReviewExample, reviewHtml } from "../audit/review/html/page.js";
import { changeMarkdown, reviewMarkdown } from "../audit/review/markdown.js";
import type { ReviewOptions } from "../audit/review/review.js";
import type { Review } from "../audit/review/types.js";
import { sha256 } from "../bundle/digest.js";
import { issueText } from "../decisions/request-issues.js";
import type { LoadOptions } from "../node/load.js";
import { reviewPanel } from "../node/review-panel.js";
import { jsonText, printable } from "../policy/escape.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { type Arguments, choice, expectAbsent, policiesOf, readArguments } from "./arguments.js";
import { pathFrom } from "./directory.js";
import { indexFile, openRegister, registerFile, writeIndex } from "./evidence-register.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { OUTPUT_OPTION, outputOf, writeOutput } from "./output-file.js";
import { DIR_OPTIONS, loadOptionsOf } from "./policy-options.js";
import { inDirectory, type PolicySource, sourceOf } from "./policy-source.js";
import { privateKeyIn, writeSigned } from "./private-key.js";
import { CLAIMS_OPTION } from "./read-claims.js";
import { readInput } from "./read-input.js";
import { exampleOf, readRequest } from "./read-request.js";
import { listClaims, prove, readSet } from "./reviewed-set.js";
import { expectSeparateFiles } from "./separate-files.js";
import { SOLVER_OPTIONS, UNPROVEN_OPTION, withProofs } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

/** Options of a review that proves: `--against`, `--evidence`, `--register` and `--prove`. */
const PROOF_OPTIONS = {
  claims: CLAIMS_OPTION,
  "allow-unproven": UNPROVEN_OPTION,
  ...SOLVER_OPTIONS,
};

const FORMATS = ["html", "json", "markdown"] as const;

export const REVIEW: Usage = {
  name: "review",
  takes: ["DIR"],
  does: "Writes a document for auditors, by default one HTML file: operations, roles, prohibitions and findings, beside the source.",
  options: {
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    roles: { value: "A,B", does: "the roles that exist; other roles in rules become findings" },
    examples: { value: "FILE", does: "requests to try in the page, as keyward decide takes them; - is standard input" },
    date: { value: "T", does: "the date of the review (default: SOURCE_DATE_EPOCH, or now)" },
    against: { value: "OLD", does: "review the change from an older set: a directory, or REVISION:DIR" },
    evidence: { value: "FILE", does: "write the inputs and the results of the review to a file, as JSON" },
    register: {
      value: "DIR",
      does: "write the evidence into a register: one file for each quarter of the date, and an index",
    },
    sign: { value: "KEYFILE", does: "sign the evidence with this Ed25519 private key, as PEM: into FILE.sig" },
    ...PROOF_OPTIONS,
    prove: { does: "prove the claims and the laws, and check each rule and each permission with a solver" },
    ...DIR_OPTIONS,
  },
};

export async function review(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, REVIEW, 1);
  const { texts, switches } = given;
  const directory = policiesOf(given);
  const load = { ...loadOptionsOf(given), codegen: false };
  const format = choice("format", texts.get("format") ?? "html", FORMATS);
  const { cwd } = streams;
  const date = dateOf(texts.get("date"));
  const [against, register] = [texts.get("against"), texts.get("register")];
  if (register !== undefined && texts.has("evidence"))
    throw new UsageError("--register and --evidence exclude each other");
  const registerPath = register === undefined ? undefined : pathFrom(cwd, register);
  const evidenceFile = registerPath === undefined ? texts.get("evidence") : registerFile(registerPath, date);
  const proves = against !== undefined || evidenceFile !== undefined || switches.has("prove");
  if (!proves)
    expectAbsent(given, Object.keys(PROOF_OPTIONS), "goes with --against, --evidence, --register or --prove");
  if (format !== "html") expectAbsent(given, ["examples"], "goes with --format html");
  expectSeparateFiles(given, streams, [
    ...(evidenceFile === undefined ? [] : [`${evidenceFile}.sig`]),
    ...(evidenceFile === undefined || registerPath === undefined ? [] : [evidenceFile, indexFile(registerPath)]),
  ]);
  const keyFile = texts.get("sign");
  if (keyFile !== undefined && evidenceFile === undefined)
    throw new UsageError("--sign goes with --evidence or --register");
  const asked = {
    signer: keyFile === undefined ? undefined : await privateKeyIn(pathFrom(cwd, keyFile)),
    load,
    options: { date, ...rolesOf(texts.get("roles")) },
    source: inDirectory(directory, cwd),
    older: against === undefined ? undefined : await sourceOf(against, cwd),
    format,
    proves,
    evidenceFile,
    registerPath,
    cwd,
  };
  return await withProofs(given, (solver) => reviewed(asked, given, streams, solver), proves);
}

/** The input of a review. */
interface ReviewCommandInput {
  /** The key that signs the evidence. */
  readonly signer: KeyObject | undefined;
  readonly load: LoadOptions;
  readonly options: Omit<ReviewOptions, "tests" | "solver">;
  readonly source: PolicySource;
  readonly older: PolicySource | undefined;
  readonly format: "html" | "json" | "markdown";
  /** Whether to prove claims. */
  readonly proves: boolean;
  readonly evidenceFile: string | undefined;
  /** The directory of the register that has the evidence. */
  readonly registerPath: string | undefined;
  readonly cwd: string | undefined;
}

async function reviewed(
  { signer, load, options, source, older, format, proves, evidenceFile, registerPath, cwd }: ReviewCommandInput,
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
  const examples = await readExamples(texts.get("examples"), set.policies.platform === undefined, streams);
  for (const issue of set.faults) streams.err(`${source.line(issue)}\n`);
  if (set.faults.length > 0) throw new UsageError("the test suites cannot be read");
  const proved = proves
    ? await prove(source, set, older && readOlder && { source: older, set: readOlder.right }, given, solver, cwd)
    : await listClaims(source, set, given);
  if ("issues" in proved) {
    for (const issue of proved.issues) streams.err(`${source.line(issue)}\n`);
    return EXIT.usage;
  }
  const { change } = proved;
  const facts: Review = { ...set.review, ...proved.shown };
  const conclusion = reviewConclusion(partsOf(facts, change?.review));
  const parts = { set: { ...set, claims: proved.claimFiles }, tests: set.tests, ...proved };
  const evidence = evidenceFile === undefined ? undefined : `${jsonText(await evidenceOf(parts), 2)}\n`;
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
    json: async () =>
      `${jsonText({ conclusion, ...facts, ...(page === undefined ? {} : { change: page.review }) }, 2)}\n`,
    markdown: async () =>
      page === undefined ? reviewMarkdown(facts) : changeMarkdown(facts, page.review, page.evidence),
  };
  const text = await texted[format]();
  if (evidence !== undefined && evidenceFile !== undefined) {
    if (registerPath !== undefined) await openRegister(registerPath);
    await writeSigned(evidenceFile, evidence, signer, streams);
    if (registerPath !== undefined) await writeIndex(registerPath);
  }
  const output = outputOf(given);
  if (output === undefined) streams.out(text);
  else {
    await writeOutput(output, text, cwd);
    const { operations, rules, findings } = facts;
    const counts = `${plural(operations.length, "operation")}, ${plural(rules.length, "rule")}, ${findingCounts(findings)}`;
    streams.err(`${printable(output)}: ${counts}\n`);
  }
  return verdict(conclusion, switches.has("allow-unproven"), output !== undefined, streams);
}

/** The most failures that the terminal shows; the document has all. */
const MAX_FAILURES = 20;

/** If the document is in a file, the terminal shows the conclusion in any case. */
function verdict(
  { result, headline, failing }: ReviewConclusion,
  allowsUnproven: boolean,
  isInFile: boolean,
  streams: Streams,
): ExitCode {
  for (const line of shownFailures(failing, MAX_FAILURES)) streams.err(`${printable(line)}\n`);
  if (result === "failures" || result === "changes") return endedBy("review", EXIT.failures, headline, streams);
  if (result === "unproven" && !allowsUnproven) return endedBy("review", EXIT.unproven, headline, streams);
  if (isInFile) streams.err(`${printable(headline)}\n`);
  return EXIT.ok;
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

/** The existing roles, if `--roles` was given. */
function rolesOf(text: string | undefined): Pick<ReviewOptions, "roles"> {
  if (text === undefined) return {};
  const roles = text.split(",").map((role) => role.trim());
  if (roles.includes("")) throw new UsageError("--roles must be names of roles with commas between them");
  return { roles };
}

/** Reads requests in the format of `keyward decide`. */
async function readExamples(
  path: string | undefined,
  permissionOnly: boolean,
  streams: Streams,
): Promise<readonly ReviewExample[]> {
  if (path === undefined) return [];
  const examples: ReviewExample[] = [];
  for await (const json of readJsonValues(readInput(path, streams))) {
    const number = examples.length + 1;
    const name = (json.ok ? exampleOf(json.value) : undefined) ?? `example ${number}`;
    const request = readRequest(json, { permissionOnly });
    if (!request.ok) {
      throw new UsageError(`${path}: ${name}: ${request.invalid.invalid.map(issueText).join("; ")}`);
    }
    examples.push({ name, request: request.request });
  }
  return examples;
}
