/** `keyward who`: lists all ways in which an operation is allowed, in words, each with a request. */

import { whoText } from "../audit/who/text.js";
import type { UnknownPart } from "../audit/who/types.js";
import { whoMay } from "../audit/who/who.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, argumentOf, choice, countOf, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "./exit.js";
import { loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { TOTAL_OPTIONS, totalTimeOf, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;

export const ASSUME_OPTION = {
  value: "EXPR",
  does: "only requests for which this is true: CEL over key, resource, account and now(), as in claims",
};

/** Options of the solver for a search for ways. */
export const SEARCH_OPTIONS = {
  ...TOTAL_OPTIONS,
  "total-time": {
    ...TOTAL_OPTIONS["total-time"],
    does: "time limit for all solver questions together (default 120)",
  },
};

export const WHO: Usage = {
  name: "who",
  takes: [`OPERATION ${SET_USAGE}`],
  does: "Lists all ways in which an operation is allowed, in words, each with an example request. Exit code 0: the list is proved complete; 5: it is not.",
  options: {
    ...SET_OPTIONS,
    kind: {
      value: "KIND",
      does: "the kind of resource; default: every kind for which the policies know the operation",
    },
    role: { value: "R", does: "only requests of a key that has this role and no other" },
    assume: ASSUME_OPTION,
    limit: { value: "N", does: "the most ways listed for each kind (default 100)" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    ...SEARCH_OPTIONS,
  },
};

export function who(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, WHO, 2), streams, answered);
}

async function answered(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts } = given;
  const operation = argumentOf(given, 0, "OPERATION");
  const policies = policiesOf(given, 1);
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const limit = countOf("limit", texts.get("limit"), 1);
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  const [kind, role, assume] = ["kind", "role", "assume"].map((name) => texts.get(name));
  const options = {
    ...(role === undefined ? {} : { role }),
    ...(assume === undefined ? {} : { assume }),
    ...(kind === undefined ? {} : { kind }),
    ...(limit === undefined ? {} : { limit }),
    ...totalTimeOf(given),
  };
  const found = await withSolver(given, (solver) => whoMay(set, operation, solver, options));
  if (found.kind === "unknown") throw unanswered(found);
  const { operations } = found;
  const open = operations.filter(({ result }) => result !== "proved");
  const isProved = open.length === 0;
  if (format === "json") {
    streams.out(`${jsonText({ result: isProved ? "proved" : "unproven", operations }, 2)}\n`);
  } else streams.out(whoText(operations, paintFor(streams)));
  if (isProved) return EXIT.ok;
  const kinds = open.map((one) => one.kind).join(", ");
  return endedBy("who", EXIT.unproven, `the list is not proved complete for ${operation} on ${kinds}`, streams);
}

/** The error for a question that has no answer. */
export function unanswered({ message, hint }: UnknownPart): UsageError {
  return new UsageError(hint === undefined ? message : `${message} (${hint})`);
}
