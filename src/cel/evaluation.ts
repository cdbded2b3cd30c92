/**
 * The state of one evaluation: what a compiled expression may read, and how it reports an error.
 *
 * An error is the value `undefined`. Before it is returned, the reason is left in `fault`; whoever absorbs the
 * error (`true || error`) need not clear it. Nothing here throws.
 */

import type { Declared } from "./declared.js";
import type { CelValue, JsonMap, Timestamp } from "./values.js";

/** Steps that one layer may spend on one decision. */
export const STEP_BUDGET = 200_000;

/** A value, or `undefined`: an error. */
export type Result = CelValue | undefined;

/** A slot whose reading erred in this evaluation. */
export const ERRED: unique symbol = Symbol("erred");

/** `undefined`: not read in this evaluation. */
export type Slot = CelValue | undefined | typeof ERRED;

export class Evaluation {
  /** Steps left. Every function whose cost grows with its arguments spends from it (see {@link spend}). */
  steps = STEP_BUDGET;
  fault = "";
  faultAt = -1;
  /** The decision's one clock value; absent when the caller gave none. */
  now: Timestamp | undefined = undefined;
  /** Whether an expression has asked for the clock, given or not. */
  readsClock = false;
  /** What the request brings, by the indexes of `roots.ts`. */
  readonly roots: Result[] = [];
  /** Why one of them is undefined: `runtime.effectiveDerivedRoles`, where a derived role erred. */
  rootFault = "";
  /** The JSON objects that the request brings, likewise. */
  readonly attributes: JsonMap[] = [];
  /** What is declared of each of them; undefined: nothing, and so it is where the server is to be agreed with. */
  readonly declared: (Declared | undefined)[] = [];
  /**
   * Attributes and variables that were already read, one slot each.
   *
   * Every read goes through its slot, so that no two conditions of an evaluation disagree about a value. (That those of two
   * layers do not, is the invariant "read once" of `copies.ts`.)
   */
  readonly slots: Slot[] = [];
  /** Why a slot is {@link ERRED}, where whoever reads it cannot say that by itself: that of a variable. */
  readonly faults: string[] = [];
  /** The slots that were filled since {@link restart}. */
  private readonly filled: number[] = [];
  private fills = 0;
  /** Variables bound by macros, by nesting depth. */
  readonly locals: Result[] = [];

  fill(slot: number, value: Slot): void {
    this.slots[slot] = value;
    this.filled[this.fills++] = slot;
  }

  /** Gives back the whole budget. */
  replenish(): void {
    this.steps = STEP_BUDGET;
  }

  /** Makes all slots unread and gives back the whole budget. */
  restart(): void {
    this.replenish();
    this.fault = "";
    this.faultAt = -1;
    this.readsClock = false;
    const { filled, slots, fills } = this;
    for (let i = 0; i < fills; i++) {
      const slot = filled[i];
      if (slot !== undefined) slots[slot] = undefined;
    }
    this.fills = 0;
  }
}

/** {@link fail}, with the offset of the failing node in the expression's source. */
export function failAt(ev: Evaluation, message: string, at: number): undefined {
  ev.fault = message;
  ev.faultAt = at;
  return undefined;
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
 *
 * INVARIANT (the end of the budget is the end): what cannot be paid for leaves nothing to pay with, and a cost that is no
 * number, or negative, cannot be paid. Whoever goes on after an error (`true || error`, a loop, the next variable) looks
 * at {@link isExhausted}, and an evaluation that is exhausted errs whatever its value.
 *
 * The cost of pairs is a product that is divided, never shifted: `65536 * 65536 >> 2` is 0, and `46341 * 46341 >> 2` is
 * less than that.
 */
export function spend(ev: Evaluation, cost: number): boolean {
  if (cost >= 0 && cost <= ev.steps) {
    ev.steps -= cost;
    return true;
  }
  ev.steps = EXHAUSTED;
  fail(ev, "step budget exhausted");
  return false;
}

const EXHAUSTED = -1;

/** Whether the budget has ended: then that is the fault, whatever has failed since. */
export function isExhausted(ev: Evaluation): boolean {
  return !spend(ev, 0);
}
