/** Coverage as data: every point with its counts, and sums. */

import { compareText } from "../../policy/issue-log.js";
import type { CoveragePoint } from "./points.js";

/** How many goals there are, and how many of them tests have met. */
export interface Tally {
  readonly covered: number;
  readonly total: number;
}

/**
 * A goal is one thing that tests should make happen at least once: that a rule decides; that a condition, a boolean
 * variable or a derived role with a condition is true, and that it is false; that any other variable, an output or an
 * unconditional derived role is evaluated.
 */
export interface CoverageReport {
  /** 0 to 100, rounded down to one decimal, so that only full coverage is 100. Without goals, 100. */
  readonly percent: number;
  readonly goals: Tally;
  /** Rules that decided. */
  readonly rules: Tally;
  /** Of leaves of conditions, both values. */
  readonly conditions: Tally;
  readonly derivedRoles: Tally;
  readonly variables: Tally;
  readonly outputs: Tally;
  /** By file, line and column. */
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
    derivedRoles: of("derivedRole"),
    variables: of("variable"),
    outputs: of("output"),
    points: [...points].sort(byPlace),
  };
}

export function percentOf({ covered, total }: Tally): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 1000) / 10;
}

function tally(points: readonly CoveragePoint[]): Tally {
  const goals = points.flatMap(goalsOf);
  return { covered: goals.filter(({ met }) => met).length, total: goals.length };
}

export interface Goal {
  readonly met: boolean;
  /** What is missing where it is not met: `never decided`. */
  readonly missing: string;
}

/** What tests should make happen at a point. */
export function goalsOf(point: CoveragePoint): readonly Goal[] {
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
  }
}

function evaluations(point: CoveragePoint): number {
  if (point.kind === "rule") return point.reached;
  return point.trues + point.falses + point.errors + ("others" in point ? point.others : 0);
}

function bothOf(point: Exclude<CoveragePoint, { readonly kind: "rule" }>): readonly Goal[] {
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
