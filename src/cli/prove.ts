/** `keyward prove`: proves claims about policies. Each is proved, broken by a request, or neither. */

import { dirname } from "node:path";
import type { PaintText } from "../audit/style.js";
import { nearestSentences } from "../policy/distance.js";
import { jsonText, printable } from "../policy/escape.js";
import type { PolicyIssue } from "../policy/issue.js";
import { proveAll, proveClaims } from "../proof/claims/prove.js";
import type { Claim, ClaimResult, Proved } from "../proof/claims/types.js";
import { notAsked } from "../proof/question-prover.js";
import { isSolver } from "../solver/no-solver.js";
import { type Arguments, choice, policiesOf, readArguments } from "./arguments.js";
import { pathFrom } from "./directory.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { isFile, loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { readOptionsOf, SET_OPTIONS } from "./policy-options.js";
import { Progress } from "./progress.js";
import { CLAIMS_OPTION, claimsIn, claimsOf, type ReadClaims } from "./read-claims.js";
import { TOTAL_OPTIONS, totalTimeOf, UNPROVEN_OPTION, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;

export const PROVE: Usage = {
  name: "prove",
  takes: ["DIR", "BUNDLE --claims FILE"],
  does: "Proves the laws of every policy set and the claims in DIR (*.claims.yaml). Exit code 0: all are proved, with the exceptions that their lines name; 4: one is broken, with a request that shows it; 5: none is broken, but not all are proved.",
  options: {
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    claims: CLAIMS_OPTION,
    claim: {
      value: "TEXT",
      multiple: true,
      does: "prove only the claims with this text in their sentence, and no laws (may be repeated)",
    },
    damaged: {
      does: "requests that the schemas refuse also break claims and laws, and so do two values without a declared type that are null",
    },
    "allow-unproven": UNPROVEN_OPTION,
    ...TOTAL_OPTIONS,
    ...SET_OPTIONS,
  },
};

export function prove(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, PROVE, 1), streams, proved);
}

async function proved(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, lists, switches } = given;
  const name = policiesOf(given);
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const path = pathFrom(streams.cwd, name);
  const set = await loadSet(path, given, streams);
  if (set === undefined) return EXIT.policies;
  const file = texts.get("claims");
  const { claims, issues } = await claimsFor(path, given, streams);
  const from = file === undefined ? name : dirname(file);
  if (issues.length > 0) return refused(issues, from, streams, EXIT.usage);
  const names = lists.get("claim");
  const progress = new Progress(streams);
  const paint = paintFor(streams);
  const options = {
    ...totalTimeOf(given),
    damaged: switches.has("damaged"),
    onProgress: (claim: string, done: number, total: number) =>
      progress.show(() => `${done} of ${total} operations: ${printable(claim)}`),
    onProved: (one: Proved) => {
      progress.clear();
      if (format === "text") streams.out(`${linesOf(one, paint).join("\n")}\n`);
    },
  };
  const wanted = names === undefined ? claims : named(claims, names);
  const { proofs, unasked } = await withSolver(given, async (solver) => ({
    proofs: await (names === undefined ? proveAll : proveClaims)(set, wanted, solver, options),
    unasked: isSolver(solver) ? undefined : notAsked(solver),
  }));
  progress.clear();
  if (proofs.kind === "wrong") return refused(proofs.issues, from, streams, EXIT.usage);
  const result = worstOf(proofs.claims);
  const why = result === "unproven" ? unasked : undefined;
  if (format === "json") streams.out(`${jsonText({ result, why, claims: proofs.claims }, 2)}\n`);
  else streams.out(`\n${counts(proofs.claims)}\n${why === undefined ? "" : `${why}\n`}`);
  if (result === "proved" || (result === "unproven" && switches.has("allow-unproven"))) return EXIT.ok;
  const [code, what] = ENDINGS[result];
  return endedBy("prove", code, `${what}: ${counts(proofs.claims)}`, streams);
}

const ENDINGS = {
  broken: [EXIT.failures, "laws or claims are broken"],
  unproven: [EXIT.unproven, "not all laws and claims are proved"],
} as const;

async function claimsFor(path: string, given: Arguments, { cwd }: Streams): Promise<ReadClaims> {
  const file = given.texts.get("claims");
  const options = readOptionsOf(given);
  if (file !== undefined) return await claimsOf(pathFrom(cwd, file), options);
  if (await isFile(path)) return { files: [], claims: [], issues: [] };
  return await claimsIn(path, options);
}

/** The claims with one of `names` in their sentences, in any case of letters. */
function named(claims: readonly Claim[], names: readonly string[]): readonly Claim[] {
  const found = new Set<Claim>();
  for (const name of names) {
    const exact = claims.filter(({ claim }) => claim === name);
    const sought = name.toLowerCase();
    const some = exact.length > 0 ? exact : claims.filter(({ claim }) => claim.toLowerCase().includes(sought));
    if (some.length === 0) {
      throw new UsageError(`--claim: no claim has the text ${JSON.stringify(name)} (${suggestion(name, claims)})`);
    }
    for (const claim of some) found.add(claim);
  }
  return claims.filter((claim) => found.has(claim));
}

const MAX_SUGGESTED = 3;

/** The claims that resemble a text; without one, the first claims. */
function suggestion(text: string, claims: readonly Claim[]): string {
  const all = claims.map(({ claim }) => claim);
  const near = nearestSentences(text, all, MAX_SUGGESTED);
  const list = (some: readonly string[]) => some.map((one) => JSON.stringify(one)).join(", ");
  if (near.length > 0) return `did you mean ${list(near)}?`;
  if (all.length === 0) return "there are no claims";
  const more = all.length - MAX_SUGGESTED;
  return `the claims are ${list(all.slice(0, MAX_SUGGESTED))}${more > 0 ? ` and ${more} more` : ""}`;
}

function refused(issues: readonly PolicyIssue[], directory: string, { err }: Streams, code: ExitCode): ExitCode {
  for (const issue of issues) err(`${issueLine(issue, directory)}\n`);
  return code;
}

function worstOf(claims: readonly Proved[]): ClaimResult {
  const results = new Set(claims.map(({ result }) => result));
  return results.has("broken") ? "broken" : results.has("unproven") ? "unproven" : "proved";
}

const LOOKS = { proved: "good", broken: "bad", unproven: "warn" } as const;

function counts(claims: readonly Proved[]): string {
  const results = ["proved", "broken", "unproven"] as const;
  return results.map((result) => `${claims.filter((one) => one.result === result).length} ${result}`).join(", ");
}

function linesOf(one: Proved, paint: PaintText): readonly string[] {
  const { claim, position, version, result, why, questions, except, assumes } = one;
  const where = position === "" ? "law" : position;
  const operations = questions === 1 ? "1 operation" : `${questions} operations`;
  // A result and its exceptions are one line.
  const excepted = except === undefined ? claim : `${claim.replace(/\.$/, "")}, except ${except.join("; ")}`;
  const assumed = result === "proved" && assumes !== undefined ? ` (assuming ${assumes.join(", ")})` : "";
  const about = version === undefined ? "" : `policies of version ${version}: `;
  const sentence = `${about}${excepted}${assumed}`;
  return [
    `${paint(LOOKS[result], result)} ${printable(sentence)}`,
    `    ${printable(where)}, ${operations}${except === undefined ? `: ${printable(why)}` : ""}`,
    ...counterexample(one),
  ];
}

function counterexample({ request, changed, outcome, reasons, layer, malformed }: Proved): readonly string[] {
  if (request === undefined) return [];
  const refused = malformed === true ? ", which the schemas refuse," : "";
  const given = reasons === undefined ? "" : ` (${reasons.length === 0 ? "without a reason" : reasons.join(", ")})`;
  if (changed === undefined) {
    return [`    this request${refused} gets ${outcome}${printable(given)}: ${jsonText(request)}`];
  }
  if (layer === undefined) {
    return [
      `    this request${refused} gets allow: ${jsonText(request)}`,
      `    this second request gets ${outcome}: ${jsonText(changed)}`,
    ];
  }
  const total = outcome === "allow" ? "the decision is allow" : `the decision is still ${outcome}`;
  return [
    `    the ${layer} layer denies this request${malformed === true ? ", which the schemas refuse" : ""}: ${jsonText(request)}`,
    `    the ${layer} layer allows this changed request (${total}): ${jsonText(changed)}`,
  ];
}
