/** Coverage as text: totals, every unmet goal, and every exempt operand, both sorted by place. */

import { printable } from "../../policy/escape.js";
import { positionText } from "../../policy/issue.js";
import type { CoveragePoint } from "./points.js";
import { type CoverageReport, type CoverageTally, goalsOf, percentOf } from "./report.js";

/** Lines without line ends. */
export function coverageLines(report: CoverageReport): readonly string[] {
  const sums: readonly (readonly [string, CoverageTally])[] = [
    ["rules that decided", report.rules],
    ["conditions, both ways", report.conditions],
    ["operands that decided", report.operands],
    ["derived roles", report.derivedRoles],
    ["variables", report.variables],
    ["outputs", report.outputs],
  ];
  return [
    `Coverage ${report.percent} %`,
    ...sums
      .filter(([, { total }]) => total > 0)
      .map(([name, sum]) => `  ${name.padEnd(22)} ${sum.covered}/${sum.total} (${percentOf(sum)} %)`),
    ...report.points.flatMap(missingLine),
    ...report.points.flatMap(exemptLine),
  ];
}

function missingLine(point: CoveragePoint): readonly string[] {
  const missing = new Set(goalsOf(point).flatMap(({ met, missing: text }) => (met ? [] : [text])));
  if (missing.size === 0) return [];
  const erred = "errors" in point && point.errors > 0 ? `, erred ${point.errors} times` : "";
  return [printable(`${positionText(point)} ${shown(point)}: ${[...missing].join(", ")}${erred}`)];
}

function exemptLine(point: CoveragePoint): readonly string[] {
  if (point.kind !== "operand" || point.unreachable.length === 0) return [];
  const values = point.unreachable.join(" or ");
  return [printable(`${positionText(point)} ${shown(point)}: cannot decide alone as ${values}, and need not`)];
}

const NOUNS = { condition: "condition of", operand: "operand of", variable: "variable", output: "output of" } as const;

function shown(point: CoveragePoint): string {
  if (point.kind === "rule") return `rule ${point.policy}#${point.name}`;
  if (point.kind === "derivedRole") return `derived role ${point.name}`;
  return `${NOUNS[point.kind]} ${point.name} \`${point.expression.replace(/\s+/g, " ")}\``;
}
