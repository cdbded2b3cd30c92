/** `keyward can`: says what a role or a key can do, operation by operation. */

import { type CanCaller, whatCan } from "../audit/can/can.js";
import { canHtml } from "../audit/can/html.js";
import { canCsv, canText } from "../audit/can/text.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, choice, countOf, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "./exit.js";
import { loadSet } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { paintFor } from "./paint.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { readKey } from "./read-keys.js";
import { totalTimeOf, withSolver } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";
import { ASSUME_OPTION, SEARCH_OPTIONS, unanswered } from "./who/who.js";

const FORMATS = ["text", "csv", "json", "html"] as const;

export const CAN: Usage = {
  name: "can",
  takes: [`${SET_USAGE} --role R|--key FILE`],
  does: "Says what a role or a key can do, operation by operation: always, never, or under which conditions. Exit code 0: this is proved complete; 5: it is not.",
  options: {
    ...SET_OPTIONS,
    role: { value: "R", does: "the caller is a key that has this role and no other" },
    key: { value: "FILE", does: "the caller is this key, as JSON (-: standard input)" },
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
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const limit = countOf("limit", texts.get("limit"), 1);
  const assume = texts.get("assume");
  const caller = await callerOf(given, streams);
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  const options = {
    ...caller,
    ...(assume === undefined ? {} : { assume }),
    ...(limit === undefined ? {} : { limit }),
    ...totalTimeOf(given),
  };
  const found = await withSolver(given, (solver) => whatCan(set, solver, options));
  if (found.kind === "unknown") throw unanswered(found);
  const { operations } = found;
  const open = operations.filter(({ result }) => result !== "proved");
  const assuming = assume === undefined ? "" : `, assuming ${assume}`;
  if (format === "json") {
    const result = open.length === 0 ? "proved" : "unproven";
    streams.out(`${jsonText({ result, isUnscoped: found.isUnscoped, operations }, 2)}\n`);
  } else if (format === "csv") streams.out(canCsv(found));
  else if (format === "html") streams.out(await canHtml(found, `${callerWords(caller)}${assuming}`));
  else {
    streams.out(canText(found, `${callerWords(caller)}${assuming}`, paintFor(streams)));
  }
  if (open.length === 0) return EXIT.ok;
  const names = open.map(({ operation, kind }) => `${operation} on ${kind}`).join(", ");
  return endedBy("can", EXIT.unproven, `not proved complete: ${names}`, streams);
}

async function callerOf(given: Arguments, streams: Streams): Promise<CanCaller> {
  const [role, file] = [given.texts.get("role"), given.texts.get("key")];
  if (role !== undefined && file !== undefined) throw new UsageError("--role and --key exclude each other");
  if (file !== undefined) return { key: await readKey(file, streams) };
  if (role === undefined) throw new UsageError("--role R or --key FILE is missing");
  return { role };
}

function callerWords({ role, key }: CanCaller): string {
  if (key === undefined) return `A key with the role ${role} alone`;
  return `The key ${key.id} with the role${key.roles.length === 1 ? "" : "s"} ${key.roles.join(", ")}`;
}
