/** The result of a run of mutants, for people. */

import { jsonText, printable, printableLines } from "../policy/escape.js";
import type { MutantAnswer } from "./answer.js";
import type { MutantPlace } from "./mutants.js";
import type { MutationReport, Survivor, UnprovenMutant } from "./report.js";

type Paint = (look: "bad" | "warn", text: string) => string;

/** The survivors, then the unproven mutants, then the totals. */
export function mutationText(report: MutationReport, paint: Paint): string {
  const blocks = [
    ...report.survivors.map((one) => `${paint("bad", "survivor")} ${survivorText(one)}`),
    ...report.unproven.map((one) => `${paint("warn", "unproven")} ${unprovenText(one)}`),
  ];
  return `${[...blocks, mutationTotals(report)].join("\n\n")}\n`;
}

/** `629 mutants: 555 killed, 74 equivalent, 0 survivors, 0 unproven; score 100 %`. */
export function mutationTotals({ mutants, killed, equivalent, survivors, unproven, score }: MutationReport): string {
  const counts = [
    `${killed} killed`,
    `${equivalent.length} equivalent`,
    `${survivors.length} ${survivors.length === 1 ? "survivor" : "survivors"}`,
    `${unproven.length} unproven`,
  ];
  // Rounded down: only a complete score is 100.
  return `${mutants} mutants: ${counts.join(", ")}; score ${Math.floor(score * 10) / 10} %`;
}

function placeText({ file, line, column, change, from, to }: MutantPlace): string {
  return `${printable(`${file}:${line}:${column} ${change}`)}\n    ${jsonText(from)} becomes ${jsonText(to)}`;
}

function survivorText(one: Survivor): string {
  const data = one.malformed ? " (with data that the schemas refuse)" : "";
  const suite = one.suite.trimEnd().replaceAll(/^/gm, "    ");
  return [
    placeText(one),
    `    no test and no claim notices. The policies decide ${answerText(one.before)}, the mutant ${answerText(one.after)}${data}:`,
    "",
    printableLines(suite),
  ].join("\n");
}

/** `allow (role_may_read)`. */
export function answerText({ outcome, reasons, fault }: MutantAnswer): string {
  return printable(`${outcome} (${reasons.join(", ")}${fault === undefined ? "" : `; fault ${fault}`})`);
}

function unprovenText(one: UnprovenMutant): string {
  return `${placeText(one)}\n    ${printable(one.why)}`;
}
