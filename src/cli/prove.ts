/** `keyward prove`: proves claims about policies. Each is proved, broken by a request, or neither. */

import { dirname } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import type { PaintText } from "../audit/style.js";
import { loadPolicies } from "../node/load.js";
import { jsonText, printable } from "../policy/escape.js";
import type { PolicyIssue } from "../policy/issue.js";
import { proveAll } from "../proof/claims/prove.js";
import type { ClaimResult, Proved } from "../proof/claims/types.js";
import { type Arguments, argumentOf, choice, readArguments } from "./arguments.js";
import { existingDirectory, pathFrom } from "./directory.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "./exit.js";
import { issueLine } from "./issues.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { loadOptionsOf, POLICY_OPTIONS, readOptionsOf } from "./policy-options.js";
import { Progress } from "./progress.js";
import { CLAIMS_OPTION, claimsIn, claimsOf } from "./read-claims.js";
import { TOTAL_OPTIONS, totalTimeOf, UNPROVEN_OPTION, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;

export const PROVE: Usage = {
  name: "prove",
  takes: ["DIR"],
  does: "Proves the five laws and the claims in DIR (*.claims.yaml). Exit code 0: all are proved; 4: one is broken, with a request that shows it; 5: none is broken, but not all are proved.",
  options: {
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    claims: CLAIMS_OPTION,
    "allow-unproven": UNPROVEN_OPTION,
    ...TOTAL_OPTIONS,
    ...POLICY_OPTIONS,
  },
};

export function prove(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, PROVE, 1), streams, proved);
}

async function proved(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, switches } = given;
  const name = argumentOf(given, 0, "DIR");
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const directory = await existingDirectory(pathFrom(streams.cwd, name));
  const loaded = await loadPolicies(directory, { ...loadOptionsOf(given), codegen: false })();
  if (E.isLeft(loaded)) return refused(loaded.left, name, streams, EXIT.policies);
  const file = texts.get("claims");
  const options = readOptionsOf(given);
  const { claims, issues } = await (file === undefined
    ? claimsIn(directory, options)
    : claimsOf(pathFrom(streams.cwd, file), options));
  const from = file === undefined ? name : dirname(file);
  if (issues.length > 0) return refused(issues, from, streams, EXIT.usage);
  const progress = new Progress(streams);
  const paint = paintFor(streams);
  const proofs = await withSolver(given, (solver) =>
    proveAll(loaded.right, claims, solver, {
      ...totalTimeOf(given),
      onProgress: (claim, done, total) => progress.show(() => `${done} of ${total} operations: ${printable(claim)}`),
      onProved: (one) => {
        progress.clear();
        if (format === "text") streams.out(`${linesOf(one, paint).join("\n")}\n`);
      },
    }),
  );
  progress.clear();
  if (proofs.kind === "wrong") return refused(proofs.issues, from, streams, EXIT.usage);
  const result = worstOf(proofs.claims);
  streams.out(
    format === "json" ? `${jsonText({ result, claims: proofs.claims }, 2)}\n` : `\n${counts(proofs.claims)}\n`,
  );
  if (result === "proved" || (result === "unproven" && switches.has("allow-unproven"))) return EXIT.ok;
  const [code, what] = ENDINGS[result];
  return endedBy("prove", code, `${what}: ${counts(proofs.claims)}`, streams);
}

const ENDINGS = {
  broken: [EXIT.failures, "laws or claims are broken"],
  unproven: [EXIT.unproven, "not all laws and claims are proved"],
} as const;

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

function linesOf(
  { claim, position, result, why, questions, request, changed, outcome }: Proved,
  paint: PaintText,
): readonly string[] {
  const where = position === "" ? "law" : position;
  const operations = questions === 1 ? "1 operation" : `${questions} operations`;
  const lines = [
    `${paint(LOOKS[result], result)} ${printable(claim)}`,
    `    ${printable(where)}, ${operations}: ${printable(why)}`,
  ];
  if (request !== undefined && changed === undefined)
    lines.push(`    this request gets ${outcome}: ${jsonText(request)}`);
  if (request !== undefined && changed !== undefined) {
    lines.push(
      `    this request is refused: ${jsonText(request)}`,
      `    this changed request gets ${outcome}: ${jsonText(changed)}`,
    );
  }
  return lines;
}
