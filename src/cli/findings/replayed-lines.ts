/** Reports a replay as findings, at the lines of the log. */

import { plural } from "../../audit/plural.js";
import { type ChangeDirection, directionOf } from "../../replay/direction.js";
import type { ReplayReport, ReportedLine } from "../../replay/report.js";
import { answersText, skippedReasons } from "../../replay/text.js";
import type { CliFinding, CliReport, FindingLevel, FindingPlace, FindingRule } from "./finding.js";

const LEVELS: { readonly [direction in ChangeDirection]: FindingLevel } = {
  widened: "error",
  narrowed: "warning",
  filter: "warning",
  refusal: "note",
};

const RULES: readonly FindingRule[] = [
  { id: "widened", description: "Recorded requests that were refused are now allowed." },
  { id: "narrowed", description: "Recorded requests that were allowed are now refused." },
  { id: "filter", description: "The filter of a recorded query plan is now another one." },
  { id: "refusal", description: "Recorded requests that were refused are now refused otherwise." },
  { id: "undetermined", description: "Attributes that the log lacks decide." },
  { id: "unreproduced", description: "The old policies answer otherwise than recorded." },
  { id: "skipped", description: "The line is not a whole decision." },
  { id: "log", description: "An unusual fact about the log." },
];

export interface ReplayFindingOptions {
  readonly logs: readonly string[];
  /** Lines of each result without groups. Default: all. */
  readonly limit?: number | undefined;
}

/** A finding for each group of changes and each reason of skipped lines, at the first line, and for each other line. */
export function reportOfReplay(
  report: ReplayReport,
  { logs, limit = Number.POSITIVE_INFINITY }: ReplayFindingOptions,
): CliReport {
  const { groups, undetermined, unreproduced, skipped, notes } = report;
  const at = ({ log = logs[0], line }: ReportedLine): { place?: FindingPlace } =>
    log === undefined || log === "-" ? {} : { place: { file: log, line } };
  const changes = groups.map(({ kind, action, before, after, lines, principals, first, request }): CliFinding => {
    const rule = directionOf(before, after);
    const counts = `${plural(lines, "line")}, ${plural(principals, "principal")}`;
    const example = request ?? first.request;
    const parts = [
      `${action} on ${kind}: ${before} -> ${after} (${counts})`,
      ...(example === undefined ? [] : [`example ${JSON.stringify(example)}`]),
    ];
    return { rule, level: LEVELS[rule], message: parts.join("\n"), ...at(first) };
  });
  const listed = (
    rule: string,
    level: FindingLevel,
    all: readonly ReportedLine[],
    told: (one: ReportedLine) => string,
  ) => {
    const shown = all.slice(0, limit).map((one): CliFinding => ({ rule, level, message: told(one), ...at(one) }));
    const more = all.length - shown.length;
    return more === 0 ? shown : [...shown, { rule, level, message: `${more} more are ${rule}` }];
  };
  const findings: readonly CliFinding[] = [
    ...changes,
    ...listed("undetermined", "warning", undetermined, ({ reads = [] }) => `depends on ${reads.join(", ")}`),
    ...listed("unreproduced", "warning", unreproduced, answersText),
    ...skippedReasons(skipped).map(
      ({ text, first }): CliFinding => ({ rule: "skipped", level: "note", message: text, ...at(first) }),
    ),
    ...notes.map((message): CliFinding => ({ rule: "log", level: "note", message })),
  ];
  return { findings, rules: RULES };
}
