/** Chooses the command, and turns whatever ends it into an exit code. No stack trace reaches a terminal. */

import { jsonText, printableLines } from "../policy/escape.js";
import { CHECK_USAGE, check } from "./check.js";
import { CHECK_RESOURCES_USAGE } from "./check-resources-usage.js";
import { DECIDE_USAGE, decide } from "./decide.js";
import { DIFF_USAGE, diff } from "./diff.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { EXPLAIN_USAGE, explain } from "./explain.js";
import { LOCK_USAGE, lock } from "./lock.js";
import { POLICY_HELP } from "./policy-options.js";
import { REVIEW_USAGE, review } from "./review.js";
import { TEST_USAGE } from "./test/usage.js";
import { TYPES_USAGE, types } from "./types.js";

type Command = (args: readonly string[], streams: Streams) => Promise<ExitCode>;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["check", check],
  ["check-resources", checkResources],
  ["decide", decide],
  ["diff", diff],
  ["explain", explain],
  ["lock", lock],
  ["review", review],
  ["test", test],
  ["types", types],
]);

const USAGE = `usage:
  ${CHECK_USAGE}
      Validates and compiles the policies in DIR and prints every issue as file:line:column code message.
  ${LOCK_USAGE}
      Writes keyward.lock, the hash of each file: from then on the set is loaded if it is exactly these files.
  ${DECIDE_USAGE}
      Decides requests (JSON, or JSON lines) from FILE or standard input; prints one JSON decision a line.
  ${EXPLAIN_USAGE}
      Says of each request why it is decided as it is, and what would have to change for the outcome to change.
  ${DIFF_USAGE}
      Compares two sets of policies by what they decide: directories, or directories in revisions of a git repository.
  ${REVIEW_USAGE}
      Writes what an auditor reads: operations, roles, prohibitions, findings, beside the source; one HTML file.
  ${CHECK_RESOURCES_USAGE}
      Answers Cerbos CheckResources requests (JSON, or JSON lines) as the server's HTTP API does, one response a line.
  ${TEST_USAGE}
      Runs the test suites in DIR (Cerbos's *_test.yaml, and *.decisions.yaml) on the policies in DIR.
  ${TYPES_USAGE}
      Writes the names of the policies (operations, kinds, attributes, roles, reasons) as a TypeScript module.

${POLICY_HELP}
exit codes: 0 fine, 1 unexpected, 2 bad usage or input, 3 policies invalid, 4 a check found failures
`;

/** Loads the messages of Cerbos's API, which no other command needs. */
async function checkResources(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { checkResourcesCommand } = await import("./check-resources.js");
  return await checkResourcesCommand(args, streams);
}

/** Loads what runs tests, which no other command needs. */
async function test(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { testCommand } = await import("./test/command.js");
  return await testCommand(args, streams);
}

/** Runs the command that `args` names. */
export async function run(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    (name === undefined ? streams.err : streams.out)(USAGE);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    streams.err(`keyward: unknown command ${jsonText(name)}\n${USAGE}`);
    return EXIT.usage;
  }
  try {
    return await command(rest, streams);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    streams.err(`${printableLines(`keyward ${name}: ${message}`)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.unexpected;
  }
}
