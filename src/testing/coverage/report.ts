/** Coverage as data: every point with its counts, and totals. */

import { compareText } from "../../policy/issue-log.js";
import type { OperandPoint } from "./operands.js";
import type { CoveragePoint, RulePoint } from "./points.js";

/** The number of goals, and of goals that the tests have met. */
export interface CoverageTally {
  readonly covered: number;
  readonly total: number;
}

/**
 * A goal is an event that tests should cause at least once. A rule has one goal: it decides. A condition, a boolean
 * variable and a derived role with a condition have two: true and false. An operand has two: it decides alone as true,
 * and as false; one that cannot happen is no goal. Any other variable, an output and an unconditional derived role have
 * one: to be evaluated.
 */
export interface CoverageReport {
  /** 0 to 100, rounded down to one decimal, so that only full coverage is 100. Without goals, 100. */
  readonly percent: number;
  readonly goals: CoverageTally;
  /** Goals of rules: that they decide. */
  readonly rules: CoverageTally;
  /** Goals of the leaves of conditions: both values. */
  readonly conditions: CoverageTally;
  /** Goals of operands: that each decides alone with both values. */
  readonly operands: CoverageTally;
  readonly derivedRoles: CoverageTally;
  readonly variables: CoverageTally;
  readonly outputs: CoverageTally;
  /** Sorted by file, line and column. */
  readonly points: readonly CoveragePoint[];
}

export function reportOf(points: readonly CoveragePoint[]): CoverageReport {
  const goals = tally(points);
  const of = (kind: CoveragePoint["kind"]) => tally(points.filter((point) => point.kind === kind));
  return {
    percent: percentOf(goals),
    goals,
    rules: of("rule"),
    conditions: of("condition"),
    operands: of("operand"),
    derivedRoles: of("derivedRole"),
    variables: of("variable"),
    outputs: of("output"),
    points: [...points].sort(byPlace),
  };
}

export function percentOf({ covered, total }: CoverageTally): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 1000) / 10;
}

function tally(points: readonly CoveragePoint[]): CoverageTally {
  const goals = points.flatMap(goalsOf);
  return { covered: goals.filter(({ met }) => met).length, total: goals.length };
}

export interface CoverageGoal {
  readonly met: boolean;
  /** The missing event of an unmet goal: `never decided`. */
  readonly missing: string;
}

/** The goals of a point. */
export function goalsOf(point: CoveragePoint): readonly CoverageGoal[] {
  switch (point.kind) {
    case "rule":
      return [{ met: point.decisive > 0, missing: point.reached > 0 ? "reached, never decided" : "never reached" }];
    case "derivedRole":
      return point.conditional ? bothOf(point) : [{ met: point.trues > 0, missing: "never considered" }];
    case "output":
      return [{ met: evaluations(point) > point.errors, missing: "never put out" }];
    case "variable":
      return point.isBoolean || point.trues + point.falses > 0
        ? bothOf(point)
        : [{ met: point.others > 0, missing: "never evaluated" }];
    case "condition":
      return bothOf(point);
    case "operand":
      return [true, false].filter((value) => !point.unreachable.includes(value)).map((value) => alone(point, value));
  }
}

function evaluations(point: CoveragePoint): number {
  if (point.kind === "rule") return point.reached;
  return point.trues + point.falses + point.errors + ("others" in point ? point.others : 0);
}

function alone(point: OperandPoint, value: boolean): CoverageGoal {
  const [seen, decided] = value ? [point.trues, point.decidedTrue] : [point.falses, point.decidedFalse];
  if (evaluations(point) === 0) return { met: false, missing: "never evaluated" };
  return { met: decided > 0, missing: seen > 0 ? `never decided alone as ${value}` : `never ${value}` };
}

function bothOf(point: Exclude<CoveragePoint, RulePoint | OperandPoint>): readonly CoverageGoal[] {
  const constant = "constant" in point ? point.constant : undefined;
  const never = evaluations(point) === 0;
  const onTrue = { met: point.trues > 0, missing: never ? "never evaluated" : "never true" };
  const onFalse = { met: point.falses > 0, missing: never ? "never evaluated" : "never false" };
  if (constant !== undefined) return [constant ? onTrue : onFalse];
  return [onTrue, onFalse];
}

function byPlace(a: CoveragePoint, b: CoveragePoint): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
}
