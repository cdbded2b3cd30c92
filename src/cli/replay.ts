/** `keyward replay`: decides the requests of an audit log again. */

import * as E from "fp-ts/lib/Either.js";
import { plural } from "../audit/plural.js";
import { directionsOf } from "../replay/direction.js";
import { NO_LAYERS } from "../replay/log-entry.js";
import { Replay, type ReplayedLine, type ReplayOptions } from "../replay/replay.js";
import { type ReplayReport, ReplayTally } from "../replay/report.js";
import { replayText } from "../replay/text.js";
import { type Arguments, choice, countOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "./exit.js";
import { isReportFormat, printedReport, REPORT_FORMATS } from "./findings/print.js";
import { reportOfReplay } from "./findings/replayed-lines.js";
import { engineOptionsOf, loadEngine } from "./load-engine.js";
import { loadedSet } from "./load-set.js";
import { eachLine, entryOf, foreignLogs, sourcesOf } from "./log-files.js";
import { writeLongJson } from "./long-json.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import type { TextLine } from "./text-lines.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json", ...REPORT_FORMATS] as const;
const FAILURES = ["any", "widened", "narrowed", "none"] as const;

export const REPLAY: Usage = {
  name: "replay",
  takes: [`LOG... ${SET_USAGE}`],
  does: "Decides the requests of a log again, and reports the answers that change. LOG is the audit log of a Cerbos server, or decision records of keyward: NDJSON, .gz, or - for standard input.",
  options: {
    ...SET_OPTIONS,
    "permission-only": { does: "the set has no platform layer: for decision records (the server has no layers)" },
    "typed-reads": { ...SET_OPTIONS["typed-reads"], does: `${SET_OPTIONS["typed-reads"].does}: for decision records` },
    against: {
      value: SET_USAGE,
      does: "the changed policies; a line that the first policies do not answer as recorded is then unreproduced",
    },
    complete: { does: "the log has every attribute of its requests: what it lacks was absent" },
    "fail-on": { value: FAILURES.join("|"), does: "the changes that end the command with 4 (default any)" },
    "strict-evaluation": { does: "engine.strictEvaluation of the server" },
    "lenient-scope-search": { does: "engine.lenientScopeSearch of the server" },
    limit: {
      value: "N",
      does: "list at most N lines of each result (default: 10 as text, otherwise all); json ignores it",
    },
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
  const limit = countOf("limit", texts.get("limit"));
  const { logs, policies } = sourcesOf(given, REPLAY);
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
  const layers = await layersOf(policies, against, given);
  const decisions = E.isLeft(layers) ? {} : { decisions: layers.right };
  const run =
    second === undefined
      ? new Replay(first.right, { isComplete, ...decisions })
      : new Replay(second.right, { old: first.right, isComplete, ...decisions });
  const report = await reportOf(logs, run, streams);
  if (E.isLeft(layers) && report.skipped.some(({ reason }) => reason === NO_LAYERS)) {
    for (const line of layers.left) streams.err(`${line}\n`);
    return EXIT.policies;
  }
  if (format === "json") await writeLongJson(report, streams);
  else if (isReportFormat(format)) streams.out(printedReport(reportOfReplay(report, { logs, limit }), format));
  else streams.out(replayText(report, limit));
  const foreign = foreignLogs(logs, report);
  return foreign === undefined ? ended(report, failsOn, streams) : endedBy("replay", EXIT.usage, foreign, streams);
}

/** The policies as `decide` takes them. Left: their faults, one line each. */
async function layersOf(
  policies: string,
  against: string | undefined,
  given: Arguments,
): Promise<E.Either<readonly string[], NonNullable<ReplayOptions["decisions"]>>> {
  const first = await loadedSet(policies, given);
  if (E.isLeft(first)) return first;
  if (against === undefined) return E.right({ now: first.right });
  const second = await loadedSet(against, given);
  return E.isLeft(second) ? second : E.right({ now: second.right, old: first.right });
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

function isNamed({ before = {}, after = {} }: ReplayReport["changed"][number], failsOn: (typeof FAILURES)[number]) {
  if (failsOn === "any" || failsOn === "none") return failsOn === "any";
  const directions = directionsOf(before, after);
  return directions.has(failsOn) || directions.has("filter");
}

async function reportOf(logs: readonly string[], run: Replay, streams: Streams): Promise<ReplayReport> {
  const tally = new ReplayTally();
  await eachLine(logs, streams, (at, line) => tally.add(at, resultOf(line, run)));
  return tally.report(run.notes());
}

function resultOf(line: TextLine, run: Replay): ReplayedLine {
  const entry = entryOf(line);
  return { id: entry.id, time: entry.time, result: run.entry(entry) };
}
