/** Chooses the command, and turns whatever ends it into an exit code. No stack trace reaches a terminal. */

import { VERSION } from "../audit/review/version.js";
import { didYouMean } from "../policy/distance.js";
import { jsonText, printableLines } from "../policy/escape.js";
import { CHECK_RESOURCES_USAGE, PLAN_RESOURCES_USAGE } from "./api-usage.js";
import { BUILD_USAGE, build } from "./build.js";
import { CHECK_USAGE, check } from "./check.js";
import { DECIDE_USAGE, decide } from "./decide.js";
import { DIFF_USAGE, diff } from "./diff.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { EXPLAIN_USAGE, explain } from "./explain.js";
import { LOCK_USAGE, lock } from "./lock.js";
import { needing } from "./needed.js";
import { POLICY_HELP, POLICY_USAGE } from "./policy-options.js";
import { PROVE_USAGE, prove } from "./prove.js";
import { REVIEW_USAGE, review } from "./review.js";
import { TEST_USAGE } from "./test/usage.js";
import { TYPES_USAGE, types } from "./types.js";
import { VERIFY_USAGE, verify } from "./verify.js";
import { WHO_USAGE, who } from "./who.js";

interface Command {
  readonly usage: string;
  /** What it does, in a sentence. */
  readonly does: string;
  run(args: readonly string[], streams: Streams): Promise<ExitCode>;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    "check",
    {
      usage: CHECK_USAGE,
      does: "Finds what is wrong with the policies in DIR; prints each as file:line:column severity code message.",
      run: check,
    },
  ],
  [
    "lock",
    {
      usage: LOCK_USAGE,
      does: "Writes keyward.lock, the hash of each file: from then on the set is loaded if it is exactly these files.",
      run: lock,
    },
  ],
  [
    "decide",
    {
      usage: DECIDE_USAGE,
      does: "Decides requests (JSON, or JSON lines) from FILE or standard input; prints one JSON decision a line.",
      run: decide,
    },
  ],
  [
    "explain",
    {
      usage: EXPLAIN_USAGE,
      does: "Says of each request why it is decided as it is, and what would have to change for the outcome to change.",
      run: explain,
    },
  ],
  [
    "diff",
    {
      usage: DIFF_USAGE,
      does: "Compares two sets of policies by what they decide: equal (0, proved), changes (4), neither (5); directories, or directories in revisions of a git repository.",
      run: diff,
    },
  ],
  [
    "prove",
    {
      usage: PROVE_USAGE,
      does: "Proves the five laws and the claims in DIR (*.claims.yaml): all proved (0), one broken, with a request (4), neither (5).",
      run: prove,
    },
  ],
  [
    "who",
    {
      usage: WHO_USAGE,
      does: "Lists all ways in which an operation is allowed, in words, each with a request: these are all (0), not proved (5).",
      run: who,
    },
  ],
  [
    "review",
    {
      usage: REVIEW_USAGE,
      does: "Writes what an auditor reads: operations, roles, prohibitions, findings, beside the source; one HTML file.",
      run: review,
    },
  ],
  [
    "check-resources",
    {
      usage: CHECK_RESOURCES_USAGE,
      does: "Answers Cerbos CheckResources requests (JSON, or JSON lines) as the server's HTTP API does, one response a line.",
      run: checkResources,
    },
  ],
  [
    "plan-resources",
    {
      usage: PLAN_RESOURCES_USAGE,
      does: "Answers Cerbos PlanResources requests likewise: for which resources an action is allowed, as a condition on them.",
      run: planResources,
    },
  ],
  [
    "test",
    {
      usage: TEST_USAGE,
      does: "Runs the test suites in DIR (Cerbos's *_test.yaml, and *.decisions.yaml) on the policies in DIR.",
      run: test,
    },
  ],
  [
    "types",
    {
      usage: TYPES_USAGE,
      does: "Writes the names of the policies (operations, kinds, attributes, roles, reasons) as a TypeScript module.",
      run: types,
    },
  ],
  [
    "build",
    {
      usage: BUILD_USAGE,
      does: "Writes the policies as a bundle: an ES module for keyward/runtime, with its types, and signed if wanted (Ed25519).",
      run: build,
    },
  ],
  [
    "verify",
    {
      usage: VERIFY_USAGE,
      does: "Says whether a bundle is as it was built, and signed by the key; the signature is FILE.sig unless it is given.",
      run: verify,
    },
  ],
]);

const EXIT_CODES =
  "exit codes: 0 fine, 1 unexpected, 2 bad usage or input, 3 policies invalid, 4 a check found failures, 5 not proven\n";

function usage(): string {
  const commands = [...COMMANDS.values()].map(usageOf).join("");
  return `usage:
${commands}  keyward COMMAND --help
      Says how a command is used.
  keyward --version

${POLICY_HELP}
${EXIT_CODES}`;
}

function usageOf({ usage, does }: Command): string {
  return `  ${usage}\n      ${does}\n`;
}

/** What `keyward COMMAND --help` says. */
function helpOf(command: Command): string {
  const policies = command.usage.includes(POLICY_USAGE) ? `${POLICY_HELP}\n` : "";
  return `usage:\n${usageOf(command)}\n${policies}${EXIT_CODES}`;
}

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);

/** Loads the messages of Cerbos's API, which no other command needs. */
async function checkResources(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const packages = "@cerbos/api@0.7.0 @bufbuild/protobuf@2.17.0";
  const { checkResourcesCommand } = await needing(packages, () => import("./check-resources.js"));
  return await checkResourcesCommand(args, streams);
}

/** Likewise. */
async function planResources(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { planResourcesCommand } = await import("./plan-resources.js");
  return await planResourcesCommand(args, streams);
}

/** Loads what runs tests, which no other command needs. */
async function test(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { testCommand } = await import("./test/command.js");
  return await testCommand(args, streams);
}

/** Runs the command that `args` names. */
export async function run(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const [first, ...others] = args;
  // `keyward help COMMAND` is `keyward COMMAND --help`.
  const [name, rest] = first === "help" && others[0] !== undefined ? [others[0], ["--help"]] : [first, others];
  if (name === undefined) {
    streams.err(usage());
    return EXIT.usage;
  }
  if (name === "help" || HELP.has(name)) {
    streams.out(usage());
    return EXIT.ok;
  }
  if (name === "--version") {
    streams.out(`${VERSION}\n`);
    return EXIT.ok;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    const hint = didYouMean(name, [...COMMANDS.keys()]);
    streams.err(`keyward: unknown command ${jsonText(name)}${hint === undefined ? "" : ` (${hint})`}\n${usage()}`);
    return EXIT.usage;
  }
  if (rest.some((arg) => HELP.has(arg))) {
    streams.out(helpOf(command));
    return EXIT.ok;
  }
  try {
    return await command.run(rest, streams);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    streams.err(`${printableLines(`keyward ${name}: ${message}`)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.unexpected;
  }
}
