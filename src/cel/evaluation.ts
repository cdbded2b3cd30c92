/**
 * The state of one evaluation: what a compiled expression may read, and how it reports an error.
 *
 * An error is the value `undefined`. Before it is returned, the reason is left in `fault`; whoever absorbs the
 * error (`true || error`) need not clear it. Nothing here throws.
 */

import type { CelValue, Timestamp } from "./values.js";

/** Steps that one layer may spend on one decision. */
export const STEP_BUDGET = 200_000;

/** What was found wrong by the most recent error. `at` is an offset into the expression's source, or -1. */
export interface Fault {
  readonly message: string;
  readonly at: number;
}

export class Evaluation {
  /** Steps left. Every function whose cost grows with its arguments spends from it (see {@link spend}). */
  steps = STEP_BUDGET;
  fault = "";
  faultAt = -1;
  /** The decision's one clock value; absent when the caller gave none. */
  now: Timestamp | undefined = undefined;
}

/** Records why an evaluation fails, and is the failure: `return fail(ev, "division by zero")`. */
export function fail(ev: Evaluation, message: string): undefined {
  ev.fault = message;
  ev.faultAt = -1;
  return undefined;
}

/**
 * Pays `cost` steps; `false` (with the fault recorded) once the budget is exhausted.
 * A step stands for roughly 100 ns of work: one pass of a comprehension's body, 50 bytes of text scanned.
 */
export function spend(ev: Evaluation, cost: number): boolean {
  ev.steps -= cost;
  if (ev.steps >= 0) return true;
  fail(ev, "step budget exhausted");
  return false;
}

export type Result = CelValue | undefined;
