/** `keyward review`: what an auditor reads. */

import * as E from "fp-ts/lib/Either.js";
import { findingCounts } from "../audit/findings/finding.js";
import { type Example, reviewHtml } from "../audit/review/html/page.js";
import { reviewMarkdown } from "../audit/review/markdown.js";
import { type ReviewOptions, review as reviewPolicies } from "../audit/review/review.js";
import { testedOperations } from "../audit/review/tested.js";
import { loadPolicies } from "../node/load.js";
import { reviewPanel } from "../node/review-panel.js";
import { jsonText, printable } from "../policy/escape.js";
import { readSuiteDirectory } from "../testing/directory.js";
import type { SuiteFiles } from "../testing/files.js";
import { choice, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { readJsonValues } from "./json-values.js";
import { writeOutput } from "./output-file.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";
import { PROVE_OPTIONS, PROVE_OPTIONS_USAGE, withProofs } from "./solver-options.js";

export const REVIEW_USAGE =
  `keyward review DIR ${POLICY_USAGE} [--format html|json|markdown] [--output FILE]\n` +
  `      [--roles A,B] [--examples FILE] [--date T] ${PROVE_OPTIONS_USAGE}`;

const OPTIONS = {
  ...POLICY_OPTIONS,
  ...PROVE_OPTIONS,
  format: { type: "string" },
  output: { type: "string" },
  roles: { type: "string" },
  examples: { type: "string" },
  date: { type: "string" },
} as const;

export async function review(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, OPTIONS, 1);
  const { texts, positionals } = given;
  const load = loadOptionsOf(given);
  const permissionOnly = load.platform === "none";
  const format = choice("format", texts.get("format") ?? "html", ["html", "json", "markdown"]);
  const [directory] = positionals;
  if (directory === undefined) throw new UsageError(`usage: ${REVIEW_USAGE}`);
  const examples = await readExamples(texts.get("examples"), permissionOnly, streams);
  const options = { date: dateOf(texts.get("date")), ...rolesOf(texts.get("roles")) };
  const loaded = await loadPolicies(await existingDirectory(directory), load)();
  if (E.isLeft(loaded)) {
    for (const issue of loaded.left) streams.err(`${issueLine(issue, directory)}\n`);
    return EXIT.policies;
  }
  const policies = loaded.right;
  const tested = E.chain((files: SuiteFiles) => testedOperations(files, policies))(
    await readSuiteDirectory(directory, load)(),
  );
  if (E.isLeft(tested)) {
    for (const issue of tested.left) streams.err(`${issueLine(issue, directory)}\n`);
    throw new UsageError("the test suites cannot be read");
  }
  const facts = await withProofs(given, (solver) =>
    reviewPolicies(policies, { ...options, tested: tested.right, ...(solver === undefined ? {} : { solver }) }),
  );
  const texted = {
    html: async () => await reviewHtml(policies, facts, { panel: await reviewPanel(), examples }),
    json: async () => `${jsonText(facts, 2)}\n`,
    markdown: async () => reviewMarkdown(facts),
  };
  const text = await texted[format]();
  const output = texts.get("output");
  if (output === undefined) {
    streams.out(text);
    return EXIT.ok;
  }
  await writeOutput(output, text);
  const { operations, rules, findings } = facts;
  streams.err(
    `${printable(output)}: ${operations.length} operations, ${rules.length} rules, ${findingCounts(findings)}\n`,
  );
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
