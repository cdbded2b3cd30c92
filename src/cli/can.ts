/** `keyward can`: says what a role can do, operation by operation. */

import { whatCan } from "../audit/can/can.js";
import { canCsv, canText } from "../audit/can/text.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, choice, countOf, policiesOf, readArguments, requiredOption } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "./exit.js";
import { loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { totalTimeOf, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";
import { ASSUME_OPTION, SEARCH_OPTIONS, unanswered } from "./who.js";

const FORMATS = ["text", "csv", "json"] as const;

export const CAN: Usage = {
  name: "can",
  takes: [`${SET_USAGE} --role R`],
  does: "Says what a role can do, operation by operation: always, never, or under which conditions. Exit code 0: this is proved complete; 5: it is not.",
  options: {
    ...SET_OPTIONS,
    role: { value: "R", does: "the caller is a key that has this role and no other" },
    assume: ASSUME_OPTION,
    limit: { value: "N", does: "the most ways listed for each operation (default 100)" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    ...SEARCH_OPTIONS,
  },
};

export function can(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, CAN, 1), streams, answered);
}

async function answered(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts } = given;
  const policies = policiesOf(given);
  const role = requiredOption(given, "role");
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const limit = countOf("limit", texts.get("limit"), 1);
  const assume = texts.get("assume");
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  const options = {
    role,
    ...(assume === undefined ? {} : { assume }),
    ...(limit === undefined ? {} : { limit }),
    ...totalTimeOf(given),
  };
  const found = await withSolver(given, (solver) => whatCan(set, solver, options));
  if (found.kind === "unknown") throw unanswered(found);
  const { operations } = found;
  const open = operations.filter(({ result }) => result !== "proved");
  if (format === "json") {
    const result = open.length === 0 ? "proved" : "unproven";
    streams.out(`${jsonText({ result, isUnscoped: found.isUnscoped, operations }, 2)}\n`);
  } else if (format === "csv") streams.out(canCsv(found));
  else {
    const assuming = assume === undefined ? "" : `, assuming ${assume}`;
    streams.out(canText(found, `A key with the role ${role} alone${assuming}`, paintFor(streams)));
  }
  if (open.length === 0) return EXIT.ok;
  const names = open.map(({ operation, kind }) => `${operation} on ${kind}`).join(", ");
  return endedBy("can", EXIT.unproven, `not proved complete: ${names}`, streams);
}
