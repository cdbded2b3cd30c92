/**
 * Coverage in the format of lcov (geninfo(1)), which editors and coverage services read. A function is a rule, with one
 * hit for each time that it decided. A branch is a condition, variable or derived role, true (0) or false (1). A line
 * counts how often its points were reached.
 */

import { printable } from "../../policy/escape.js";
import { grouped } from "../../policy/groups.js";
import type { CoveragePoint } from "./points.js";
import type { CoverageReport } from "./report.js";

/** `prefix`: the directory of the policies as lcov readers look it up, ending in `/` unless empty. */
export function lcovOf({ points }: CoverageReport, prefix: string): string {
  return [...grouped(points, ({ file }) => file)]
    .map(([file, inFile]) => recordOf(`${prefix}${file}`, inFile))
    .join("");
}

function recordOf(path: string, points: readonly CoveragePoint[]): string {
  const rules = points.filter((point) => point.kind === "rule");
  const functions = rules.map(({ line, policy, name }) => `FN:${line},${printable(`${policy}#${name}`)}`);
  const calls = rules.map(({ policy, name, decisive }) => `FNDA:${decisive},${printable(`${policy}#${name}`)}`);
  const branches = points.flatMap(branchesOf);
  const lines = linesOf(points);
  return [
    "TN:",
    `SF:${printable(path)}`,
    ...functions,
    ...calls,
    `FNF:${rules.length}`,
    `FNH:${rules.filter(({ decisive }) => decisive > 0).length}`,
    ...branches.map(({ line, block, branch, hits }) => `BRDA:${line},${block},${branch},${hits ?? "-"}`),
    `BRF:${branches.length}`,
    `BRH:${branches.filter(({ hits }) => hits !== undefined && hits > 0).length}`,
    ...[...lines].sort(([a], [b]) => a - b).map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${lines.size}`,
    `LH:${[...lines.values()].filter((hits) => hits > 0).length}`,
    "end_of_record\n",
  ].join("\n");
}

interface LcovBranch {
  readonly line: number;
  /** The column, as one line can have several points. */
  readonly block: number;
  readonly branch: number;
  /** Undefined if the expression was never evaluated. */
  readonly hits: number | undefined;
}

function branchesOf(point: CoveragePoint): readonly LcovBranch[] {
  if (point.kind === "rule" || point.kind === "output") return [];
  if (point.kind === "derivedRole" && !point.conditional) return [];
  const { line, column: block, trues, falses } = point;
  if (point.kind === "variable" && !point.isBoolean && trues + falses === 0) return [];
  const reached = hitsOf(point) > 0;
  const constant = "constant" in point ? point.constant : undefined;
  return [trues, falses].flatMap((hits, branch) =>
    constant === (branch === 1) ? [] : [{ line, block, branch, hits: reached ? hits : undefined }],
  );
}

function hitsOf(point: CoveragePoint): number {
  if (point.kind === "rule") return point.reached;
  return point.trues + point.falses + point.errors + ("others" in point ? point.others : 0);
}

/** A line with several points gets the hits of its least reached point. */
function linesOf(points: readonly CoveragePoint[]): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  for (const point of points) {
    const end = "endLine" in point ? point.endLine : point.line;
    for (let line = point.line; line <= end; line++) {
      lines.set(line, Math.min(lines.get(line) ?? Number.POSITIVE_INFINITY, hitsOf(point)));
    }
  }
  return lines;
}
