/**
 * Coverage in the format of lcov (geninfo(1)), which editors and coverage services read. A function is a rule, with one
 * hit for each time that it decided. A branch is a condition, variable or derived role, true or false, or an operand
 * that decided alone as true or as false. A line counts how often its points were reached.
 */

import { printable } from "../../policy/escape.js";
import { grouped } from "../../policy/groups.js";
import type { OperandPoint } from "./operands.js";
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
  const branches = numbered(points.flatMap(branchesOf));
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
  /** Counts the branches of a block from 0. */
  readonly branch: number;
  /** Undefined if the expression was never evaluated. */
  readonly hits: number | undefined;
}

/** Points that begin at one place share a block. */
function numbered(branches: readonly Omit<LcovBranch, "branch">[]): readonly LcovBranch[] {
  const counts = new Map<string, number>();
  return branches.map((one) => {
    const key = `${one.line},${one.block}`;
    const branch = counts.get(key) ?? 0;
    counts.set(key, branch + 1);
    return { ...one, branch };
  });
}

function branchesOf(point: CoveragePoint): readonly Omit<LcovBranch, "branch">[] {
  if (point.kind === "rule" || point.kind === "output") return [];
  if (point.kind === "derivedRole" && !point.conditional) return [];
  const { line, column: block, trues, falses } = point;
  if (point.kind === "operand") return operandBranches(point);
  if (point.kind === "variable" && !point.isBoolean && trues + falses === 0) return [];
  const reached = hitsOf(point) > 0;
  const constant = "constant" in point ? point.constant : undefined;
  return [trues, falses].flatMap((hits, branch) =>
    constant === (branch === 1) ? [] : [{ line, block, branch, hits: reached ? hits : undefined }],
  );
}

function operandBranches(point: OperandPoint): readonly Omit<LcovBranch, "branch">[] {
  const { line, column: block, decidedTrue, decidedFalse, unreachable } = point;
  const isReached = hitsOf(point) > 0;
  return [true, false]
    .filter((value) => !unreachable.includes(value))
    .map((value) => ({ line, block, hits: isReached ? (value ? decidedTrue : decidedFalse) : undefined }));
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
