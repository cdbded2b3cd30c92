/** The result of a replay as a text. */

import { plural } from "../audit/plural.js";
import { printable } from "../policy/escape.js";
import type { ChangeGroup, ReplayReport, ReportedLine } from "./report.js";

/** Lines listed for each kind of result by default. The JSON form has them all. */
const LISTED = 10;

export function replayText(report: ReplayReport, limit = LISTED): string {
  const { lines, same, changed, undetermined, unreproduced, skipped, groups, from, to, notes } = report;
  const counts = [
    `${same} same`,
    `${changed.length} changed`,
    `${undetermined.length} undetermined`,
    `${unreproduced.length} unreproduced`,
    `${skipped.length} skipped`,
  ];
  const time = from === undefined ? "" : ` from ${from} to ${to}`;
  const listed = linesUpTo(limit);
  return [
    `${plural(lines, "line")}${time}: ${counts.join(", ")}`,
    ...notes.map((note) => `note: ${note}`),
    ...groups.flatMap(groupLines),
    ...listed("undetermined: attributes that the log lacks decide", undetermined, ({ reads = [] }) => reads.join(", ")),
    ...listed("unreproduced: the old policies answer otherwise than recorded", unreproduced, answersText),
    ...reasonsOf(skipped),
    "",
  ]
    .map(printable)
    .join("\n");
}

function groupLines({
  kind,
  action,
  before,
  after,
  lines,
  principals,
  first,
  request = first.request,
}: ChangeGroup): readonly string[] {
  const counts = `${plural(lines, "line")}, ${plural(principals, "principal")}, first ${placeOf(first)}`;
  const { ancestors } = first;
  return [
    `changed: ${action} on ${kind}: ${before} -> ${after} (${counts})`,
    ...(request === undefined ? [] : [`  request: ${JSON.stringify(request)}`]),
    ...(ancestors === undefined ? [] : [`  keys above, the parent first: ${JSON.stringify(ancestors)}`]),
  ];
}

function linesUpTo(limit: number) {
  return (title: string, all: readonly ReportedLine[], told: (line: ReportedLine) => string): readonly string[] => {
    if (all.length === 0) return [];
    const shown = all.slice(0, limit).map((line) => `  ${placeOf(line)}: ${told(line)}`);
    const more = all.length - shown.length;
    return [title, ...shown, ...(more === 0 ? [] : [`  and ${more} more (--limit, or --format json)`])];
  };
}

export function answersText({ before = {}, after = {} }: ReportedLine): string {
  const changes = Object.keys(before).filter((action) => before[action] !== after[action]);
  return changes.map((action) => `${action}: recorded ${before[action]}, answered ${after[action]}`).join("; ");
}

/** A line for each reason. */
export function reasonsOf(skipped: readonly ReportedLine[]): readonly string[] {
  return skippedReasons(skipped).map(({ text, first }) => `skipped: ${text}, first ${placeOf(first)}`);
}

/** The reasons of skipped lines with their numbers of lines, each with its first line. */
export function skippedReasons(
  skipped: readonly ReportedLine[],
): readonly { readonly text: string; readonly first: ReportedLine }[] {
  const reasons = new Map<string, { readonly first: ReportedLine; lines: number }>();
  for (const first of skipped) {
    const known = reasons.get(first.reason ?? "");
    if (known === undefined) reasons.set(first.reason ?? "", { first, lines: 1 });
    else known.lines += 1;
  }
  return [...reasons].map(([reason, { first, lines }]) => ({ text: `${reason}: ${plural(lines, "line")}`, first }));
}

function placeOf({ log, line }: ReportedLine): string {
  return log === undefined ? `line ${line}` : `${log}:${line}`;
}
