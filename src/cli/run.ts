/** Runs the named command, and turns its result or error into an exit code. Stack traces are never printed. */

import { VERSION } from "../bundle/version.js";
import { CERBOS_LEVELS, DEFAULT_LEVEL } from "../cel/levels.js";
import { didYouMean } from "../policy/distance.js";
import { jsonText, printableLines } from "../policy/escape.js";
import { CHECK_RESOURCES, PLAN_RESOURCES } from "./api-usage.js";
import { BUILD, build } from "./build.js";
import { CAN, can } from "./can.js";
import { CHECK, check } from "./check.js";
import { DECIDE, decide } from "./decide.js";
import { DIFF, diff } from "./diff.js";
import { EXIT, type ExitCode, messageOf, type Streams, UsageError } from "./exit.js";
import { EXPLAIN, explain } from "./explain.js";
import { INIT, init } from "./init.js";
import { LOCK, lock } from "./lock.js";
import { MATRIX, matrix } from "./matrix/matrix.js";
import { MCP, mcp } from "./mcp.js";
import { MUTATE, mutate } from "./mutate.js";
import { loadOptionalPackages } from "./optional-packages.js";
import { PROVE, prove } from "./prove.js";
import { REPLAY, replay } from "./replay.js";
import { REVIEW, review } from "./review.js";
import { SERVE } from "./serve-usage.js";
import { TEST } from "./test/usage.js";
import { TIGHTEN, tighten } from "./tighten.js";
import { TYPES, types } from "./types.js";
import { EXIT_CODES, helpOf, synopsis, type Usage } from "./usage.js";
import { VERIFY, verify } from "./verify.js";
import { WHO, who } from "./who/who.js";

interface CliCommand {
  readonly usage: Usage;
  run(args: readonly string[], streams: Streams): Promise<ExitCode>;
}

const ALL: readonly CliCommand[] = [
  { usage: INIT, run: init },
  { usage: CHECK, run: check },
  { usage: LOCK, run: lock },
  { usage: DECIDE, run: decide },
  { usage: EXPLAIN, run: explain },
  { usage: DIFF, run: diff },
  { usage: PROVE, run: prove },
  { usage: WHO, run: who },
  { usage: MATRIX, run: matrix },
  { usage: CAN, run: can },
  { usage: REVIEW, run: review },
  { usage: CHECK_RESOURCES, run: checkResources },
  { usage: PLAN_RESOURCES, run: planResources },
  { usage: REPLAY, run: replay },
  { usage: TIGHTEN, run: tighten },
  { usage: SERVE, run: serve },
  { usage: TEST, run: test },
  { usage: MUTATE, run: mutate },
  { usage: TYPES, run: types },
  { usage: BUILD, run: build },
  { usage: VERIFY, run: verify },
  { usage: MCP, run: mcp },
];

const COMMANDS: ReadonlyMap<string, CliCommand> = new Map(ALL.map((command) => [command.usage.name, command]));

const USAGE = `usage:
${ALL.map(({ usage }) => synopsis(usage)).join("")}  keyward COMMAND --help
      Shows the usage and the options of a command.
  keyward --version

${EXIT_CODES}`;

/** The levels of the policy language: `cerbos 0.55 (default), 0.58`. */
const LEVELS = `cerbos ${CERBOS_LEVELS.map((one) => (one === DEFAULT_LEVEL ? `${one} (default)` : one)).join(", ")}`;

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);

/** The packages with the messages of Cerbos's API. Only the commands that answer its requests need them. */
const API_PACKAGES = "@cerbos/api@0.7.0 @bufbuild/protobuf@2.17.0";

async function checkResources(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { checkResourcesCommand } = await loadOptionalPackages(API_PACKAGES, () => import("./check-resources.js"));
  return await checkResourcesCommand(args, streams);
}

async function planResources(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { planResourcesCommand } = await loadOptionalPackages(API_PACKAGES, () => import("./plan-resources.js"));
  return await planResourcesCommand(args, streams);
}

async function serve(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { serveCommand } = await loadOptionalPackages(API_PACKAGES, () => import("./serve.js"));
  return await serveCommand(args, streams);
}

/** Imported on demand: no other command needs the test runner. */
async function test(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { testCommand } = await import("./test/command.js");
  return await testCommand(args, streams);
}

/** Runs the command that `args` names. */
export async function run(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const [first, ...others] = args;
  if (first === undefined) {
    streams.err(USAGE);
    return EXIT.usage;
  }
  // `keyward help COMMAND` and `keyward --help COMMAND` mean `keyward COMMAND --help`.
  const isHelp = first === "help" || HELP.has(first);
  const name = isHelp ? others.find((arg) => !HELP.has(arg)) : first;
  if (name === undefined) {
    streams.out(USAGE);
    return EXIT.ok;
  }
  if (name === "--version") {
    streams.out(`${VERSION}\n${LEVELS}\n`);
    return EXIT.ok;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    const names = [...COMMANDS.keys()];
    const hint = didYouMean(name, names);
    streams.err(`keyward: unknown command ${jsonText(name)}${hint === undefined ? "" : ` (${hint})`}\n`);
    streams.err(`commands: ${names.join(", ")}; see keyward --help\n`);
    return EXIT.usage;
  }
  if (isHelp || others.some((arg) => HELP.has(arg))) {
    streams.out(helpOf(command.usage));
    return EXIT.ok;
  }
  try {
    return await command.run(others, streams);
  } catch (error) {
    const message = messageOf(error);
    streams.err(`${printableLines(`keyward ${name}: ${message}`)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.unexpected;
  }
}
