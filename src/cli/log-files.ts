/** The logs of a command: files, compressed files, and standard input. */

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { type LogEntry, readEntry, type SkipReason } from "../replay/log-entry.js";
import type { ReplayReport, ReportedLine } from "../replay/report.js";
import { skippedReasons } from "../replay/text.js";
import { type Arguments, misused } from "./arguments.js";
import { messageOf, type Streams, UsageError } from "./exit.js";
import { Progress } from "./progress.js";
import { requireOneStdin } from "./read-input.js";
import { type TextLine, textLines } from "./text-lines.js";
import type { Usage } from "./usage.js";

/** The logs, and the policies: the last argument, or `--policies`. */
export function sourcesOf(
  { positionals, texts }: Arguments,
  usage: Usage,
): { readonly logs: readonly string[]; readonly policies: string } {
  const option = texts.get("policies");
  const policies = option ?? positionals.at(-1);
  const logs = option === undefined ? positionals.slice(0, -1) : positionals;
  if (policies === undefined || logs.length === 0) throw misused(usage, "LOG or the policies are missing");
  requireOneStdin(logs);
  return { logs, policies };
}

/** Reads the lines of all logs, in order. The file is named only if there are several. */
export async function eachLine(
  logs: readonly string[],
  streams: Streams,
  take: (at: Pick<ReportedLine, "log" | "line">, line: TextLine) => void,
): Promise<void> {
  const progress = new Progress(streams);
  let done = 0;
  for (const log of logs) {
    const named = logs.length === 1 ? {} : { log };
    for await (const lines of textLines(piecesOf(log, streams))) {
      for (const { number, line } of lines) take({ ...named, line: number }, line);
      done += lines.length;
      progress.show(() => `${done} lines`);
    }
  }
  progress.clear();
}

/** The reasons of lines that no log has. Logs of decisions may have lines of other logs among them. */
const FOREIGN: ReadonlySet<string> = new Set<SkipReason>(["not UTF-8", "not JSON"]);

/** Why the command ends as misused, after its report: every line is foreign. Undefined for a log, even an empty one. */
export function foreignLogs(
  logs: readonly string[],
  { lines, skipped }: Pick<ReplayReport, "lines" | "skipped">,
): string | undefined {
  const whole = skipped.filter(({ reason }) => reason !== TORN);
  if (skipped.length < lines || whole.length === 0) return undefined;
  if (whole.some(({ reason = "" }) => !FOREIGN.has(reason))) return undefined;
  const reasons = skippedReasons(skipped).map(({ text }) => text);
  return `no log: ${logs.join(", ")} (${reasons.join("; ")}): LOG must be a Cerbos server's audit log, or decision records of keyward`;
}

const TORN: SkipReason = "torn line";

/** The entry of a line. The last line of a log may be torn. */
export function entryOf(line: TextLine): LogEntry {
  if (line.text === undefined) return { id: undefined, time: undefined, kind: "skipped", reason: line.reason };
  const entry = readEntry(line.text);
  const isTorn = !line.isEnded && entry.kind === "skipped" && entry.reason === "not JSON";
  return isTorn ? { ...entry, reason: TORN } : entry;
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
