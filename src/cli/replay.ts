/** `keyward replay`: decides the requests of an audit log again. */

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import * as E from "fp-ts/lib/Either.js";
import { plural } from "../audit/plural.js";
import { jsonText } from "../policy/escape.js";
import { type LogLine, logLines } from "../replay/log-lines.js";
import { Replay, type ReplayedLine } from "../replay/replay.js";
import { type ReplayReport, ReplayTally } from "../replay/report.js";
import { replayText } from "../replay/text.js";
import { type Arguments, choice, misused, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, messageOf, type Streams, UsageError } from "./exit.js";
import { engineOptionsOf, loadEngine } from "./load-engine.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { Progress } from "./progress.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;
const FAILURES = ["any", "widened", "narrowed", "none"] as const;

export const REPLAY: Usage = {
  name: "replay",
  takes: [`LOG... ${SET_USAGE}`],
  does: "Decides the requests of a Cerbos server's audit log again (NDJSON, .gz, or - for standard input), and tells which answers change.",
  options: {
    ...SET_OPTIONS,
    "permission-only": { does: "changes nothing here: a request names the version of its policies" },
    "other-version": { ...SET_OPTIONS["other-version"], does: "changes nothing here: likewise" },
    "typed-reads": { ...SET_OPTIONS["typed-reads"], does: "changes nothing here: the server has no such option" },
    against: {
      value: SET_USAGE,
      does: "the changed policies; lines that the first policies do not answer as recorded are then left out",
    },
    complete: { does: "the log has every attribute of its requests: what it lacks was absent" },
    "fail-on": { value: FAILURES.join("|"), does: "the changes that end the command with 4 (default any)" },
    "strict-evaluation": { does: "engine.strictEvaluation of the server" },
    "lenient-scope-search": { does: "engine.lenientScopeSearch of the server" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
  },
};

export function replay(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, REPLAY, Number.MAX_SAFE_INTEGER), streams, replayed);
}

async function replayed(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, switches } = given;
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const failsOn = choice("fail-on", texts.get("fail-on") ?? "any", FAILURES);
  const { logs, policies } = sourcesOf(given);
  const against = texts.get("against");
  const options = engineOptionsOf(given);
  const [first, second] = [
    await loadEngine(policies, given, options),
    against === undefined ? undefined : await loadEngine(against, given, options),
  ];
  const faults = [first, second].flatMap((one) => (one !== undefined && E.isLeft(one) ? one.left : []));
  for (const line of faults) streams.err(`${line}\n`);
  if (E.isLeft(first) || (second !== undefined && E.isLeft(second))) return EXIT.policies;
  const isComplete = switches.has("complete");
  const run =
    second === undefined
      ? new Replay(first.right, { isComplete })
      : new Replay(second.right, { old: first.right, isComplete });
  const report = await reportOf(logs, run, streams);
  if (format === "json") streams.out(`${jsonText(report, 2)}\n`);
  else streams.out(replayText(report));
  return ended(report, failsOn, streams);
}

function ended(report: ReplayReport, failsOn: (typeof FAILURES)[number], streams: Streams): ExitCode {
  const failing = report.changed.filter((line) => isNamed(line, failsOn)).length;
  if (failing > 0) {
    const which = failsOn === "any" ? "" : ` (${failsOn})`;
    return endedBy("replay", EXIT.failures, `${plural(failing, "line")} changed${which}`, streams);
  }
  const open = report.undetermined.length;
  if (open === 0) return EXIT.ok;
  return endedBy("replay", EXIT.unproven, `${plural(open, "line")} undetermined, for lack of attributes`, streams);
}

const ALLOWED = "EFFECT_ALLOW";

function isNamed({ before = {}, after = {} }: ReplayReport["changed"][number], failsOn: (typeof FAILURES)[number]) {
  if (failsOn === "any") return true;
  const changes = Object.keys(after).filter((action) => after[action] !== before[action]);
  const gains = (effects: typeof after) => changes.some((action) => effects[action] === ALLOWED);
  // Two filters of a plan are not compared: a change of one may be of either kind.
  const isOfPlan = changes.some((action) => !EFFECTS.has(after[action] ?? ""));
  if (failsOn === "widened") return isOfPlan || gains(after);
  return failsOn === "narrowed" && (isOfPlan || gains(before));
}

const EFFECTS: ReadonlySet<string> = new Set([ALLOWED, "EFFECT_DENY"]);

/** The logs, and the policies: the last argument, or `--policies`. */
function sourcesOf({ positionals, texts }: Arguments): { readonly logs: readonly string[]; readonly policies: string } {
  const option = texts.get("policies");
  const policies = option ?? positionals.at(-1);
  const logs = option === undefined ? positionals.slice(0, -1) : positionals;
  if (policies === undefined || logs.length === 0) throw misused(REPLAY, "LOG or the policies are missing");
  return { logs, policies };
}

async function reportOf(logs: readonly string[], run: Replay, streams: Streams): Promise<ReplayReport> {
  const tally = new ReplayTally();
  const progress = new Progress(streams);
  let done = 0;
  for (const log of logs) {
    const named = logs.length === 1 ? {} : { log };
    for await (const lines of logLines(piecesOf(log, streams))) {
      for (const { number, line } of lines) {
        tally.add({ ...named, line: number }, resultOf(line, run));
      }
      done += lines.length;
      progress.show(() => `${done} lines`);
    }
  }
  progress.clear();
  return tally.report();
}

function resultOf(line: LogLine, run: Replay): ReplayedLine {
  if (line.text === undefined) {
    return { id: undefined, time: undefined, result: { kind: "skipped", reason: line.reason } };
  }
  const found = run.line(line.text);
  const isTorn = !line.isEnded && found.result.kind === "skipped" && found.result.reason === "not JSON";
  return isTorn ? { ...found, result: { kind: "skipped", reason: "torn line" } } : found;
}

async function* piecesOf(log: string, { stdin }: Streams): AsyncGenerator<Uint8Array | string> {
  if (log === "-") {
    yield* stdin;
    return;
  }
  const file = createReadStream(log, { highWaterMark: 1 << 20 });
  try {
    // An error of the file ends the decompression, which the loop sees.
    yield* log.endsWith(".gz") ? pipeline(file, createGunzip({ chunkSize: 1 << 20 }), () => undefined) : file;
  } catch (error) {
    throw new UsageError(`cannot read ${log}: ${messageOf(error)}`);
  }
}
