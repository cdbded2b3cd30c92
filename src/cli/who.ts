/** `keyward who`: all ways in which an operation is allowed, in words, each with a request. */

import { whoText } from "../audit/who/text.js";
import { whoMay } from "../audit/who/who.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, choice, countOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { loadSet } from "./load-set.js";
import { intoFile } from "./output-file.js";
import { paintFor } from "./paint.js";
import { POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";
import { TOTAL_OPTIONS, TOTAL_OPTIONS_USAGE, totalTimeOf, withSolver } from "./solver-options.js";

export const WHO_USAGE = `keyward who OPERATION --policies DIR|BUNDLE ${POLICY_USAGE} [--public-key FILE] [--kind KIND] [--limit N] ${TOTAL_OPTIONS_USAGE} [--format text|json] [--output FILE]`;

const OPTIONS = {
  ...POLICY_OPTIONS,
  ...TOTAL_OPTIONS,
  policies: { type: "string" },
  "public-key": { type: "string" },
  kind: { type: "string" },
  limit: { type: "string" },
  format: { type: "string" },
  output: { type: "string" },
} as const;

export async function who(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, OPTIONS, 1);
  return intoFile(given.texts.get("output"), streams, (to) => answered(given, to));
}

async function answered(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, positionals } = given;
  const [operation] = positionals;
  const policies = texts.get("policies");
  if (operation === undefined || policies === undefined) throw new UsageError(`usage: ${WHO_USAGE}`);
  const format = choice("format", texts.get("format") ?? "text", ["text", "json"]);
  const limit = countOf("limit", texts.get("limit"), 1);
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  const kind = texts.get("kind");
  const options = {
    ...(kind === undefined ? {} : { kind }),
    ...(limit === undefined ? {} : { limit }),
    ...totalTimeOf(given),
  };
  const found = await withSolver(given, (solver) => whoMay(set, operation, solver, options));
  if (found.kind === "unknown") {
    throw new UsageError(found.hint === undefined ? found.message : `${found.message} (${found.hint})`);
  }
  const { operations } = found;
  const isProved = operations.every(({ result }) => result === "proved");
  if (format === "json") {
    streams.out(`${jsonText({ result: isProved ? "proved" : "unproven", operations }, 2)}\n`);
  } else streams.out(whoText(operations, paintFor(streams)));
  return isProved ? EXIT.ok : EXIT.unproven;
}
