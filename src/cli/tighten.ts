/** `keyward tighten`: the least power of each key of a log. */

import * as E from "fp-ts/lib/Either.js";
import { plural } from "../audit/plural.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import type { LineResult } from "../replay/replay.js";
import { ReplayTally } from "../replay/report.js";
import { type TightenReport, tightenCsv, tightenText } from "../replay/tighten/text.js";
import { Tightening } from "../replay/tighten/tightening.js";
import { type Arguments, choice, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "./exit.js";
import { KeptInput } from "./kept-input.js";
import { engineOptionsOf, loadEngine } from "./load-engine.js";
import { loadSet } from "./load-set.js";
import { eachLine, entryOf, foreignLogs, sourcesOf } from "./log-files.js";
import { writeLongJson } from "./long-json.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "csv", "json"] as const;

export const TIGHTEN: Usage = {
  name: "tighten",
  takes: [`LOG... ${SET_USAGE}`],
  does: "Finds for each key of a log the fewest permissions and the lowest roles that keep every recorded allow. It changes nothing. LOG is as for keyward replay.",
  options: {
    ...SET_OPTIONS,
    complete: { does: "the log has every attribute of its requests: what it lacks was absent" },
    "strict-evaluation": { does: "engine.strictEvaluation of the server" },
    "lenient-scope-search": { does: "engine.lenientScopeSearch of the server" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
  },
};

export function tighten(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, TIGHTEN, Number.MAX_SAFE_INTEGER), streams, tightened);
}

async function tightened(given: Arguments, streams: Streams): Promise<ExitCode> {
  const format = choice("format", given.texts.get("format") ?? "text", FORMATS);
  const { logs, policies } = sourcesOf(given, TIGHTEN);
  const set = await loadSet(policies, given, streams);
  if (set === undefined) return EXIT.policies;
  const engine = await loadEngine(policies, given, engineOptionsOf(given));
  if (E.isLeft(engine)) {
    for (const line of engine.left) streams.err(`${line}\n`);
    return EXIT.policies;
  }
  const run = new Tightening(engine.right, set, given.switches.has("complete"));
  const stdin = new KeptInput(streams.stdin);
  const report = await reportOf(logs, run, { ...streams, stdin }).finally(() => stdin.close());
  if (format === "csv") streams.out(tightenCsv(report));
  else if (format === "text") streams.out(tightenText(report));
  else await writeLongJson({ policySetHash: await policySetHash(set), ...report }, streams);
  const foreign = foreignLogs(logs, report.log);
  return foreign === undefined ? ended(report, streams) : endedBy("tighten", EXIT.usage, foreign, streams);
}

function ended({ keys, log }: TightenReport, streams: Streams): ExitCode {
  const unproved = keys.filter(({ isProved }) => !isProved).length;
  const open = log.undetermined.length;
  if (unproved === 0 && open === 0) return EXIT.ok;
  const reasons = [
    ...(unproved === 0 ? [] : [`${plural(unproved, "key")} not proved`]),
    ...(open === 0 ? [] : [`${plural(open, "line")} without attributes`]),
  ];
  return endedBy("tighten", EXIT.unproven, reasons.join(", "), streams);
}

/** Reads the logs three times. */
async function reportOf(logs: readonly string[], run: Tightening, streams: Streams): Promise<TightenReport> {
  const tally = new ReplayTally();
  await eachLine(logs, streams, (at, line) => {
    const entry = entryOf(line);
    const { id, time } = entry;
    const result: LineResult =
      entry.kind === "skipped"
        ? { kind: "skipped", reason: entry.reason }
        : run.see(entry)
          ? { kind: "same" }
          : { kind: "undetermined", reads: ["all attributes: a record without them"], request: {} };
    tally.add(at, { id, time, result });
  });
  for (const pass of ["collect", "verify"] as const) {
    await eachLine(logs, streams, (_, line) => {
      const entry = entryOf(line);
      if (entry.kind !== "skipped") run[pass](entry);
    });
  }
  const { lines, from, to, skipped, undetermined, notes } = tally.report([]);
  return { log: { lines, from, to, skipped, undetermined, notes }, ...run.result() };
}
