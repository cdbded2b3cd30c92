/**
 * The state of one evaluation: the values that a compiled expression may read, and the error that it reports.
 *
 * An error is the value `undefined`; code stores the reason in `fault` before it returns. Code that absorbs an error
 * (`true || error`) need not clear `fault`. Nothing here throws.
 */

import { STEP_BUDGET } from "../limits.js";
import type { TypeDeclaration } from "./type-declaration.js";
import type { CelValue, JsonMap, Timestamp } from "./values.js";

/** A value, or `undefined` for an error. */
export type EvaluationResult = CelValue | undefined;

/** Marks a slot that erred when it was read in this evaluation. */
export const ERRED: unique symbol = Symbol("erred");

/** `undefined`: not read in this evaluation. */
export type SlotValue = CelValue | undefined | typeof ERRED;

export class Evaluation {
  /** Steps left. Every function with a cost that grows with its arguments pays for it (see {@link spend}). */
  steps = STEP_BUDGET;
  fault = "";
  faultAt = -1;
  /** The one clock value of the decision; undefined if the caller gave none. */
  now: Timestamp | undefined = undefined;
  /** Whether an expression has asked for the clock, given or not. */
  readsClock = false;
  /** The single values of the request, by the indexes of `ROOT` in `roots.ts`. */
  readonly roots: EvaluationResult[] = [];
  /** The fault for a root that is undefined: `runtime.effectiveDerivedRoles`, where a derived role erred. */
  rootFault = "";
  /** The JSON objects of the request, by the indexes of `ATTRIBUTES` in `roots.ts`. */
  readonly attributes: JsonMap[] = [];
  /**
   * The declared type of each of them. Undefined: nothing is declared, or the evaluation has to agree with the server.
   */
  readonly declared: (TypeDeclaration | undefined)[] = [];
  /**
   * The cached values of attributes and variables, one slot each.
   *
   * Every read goes through its slot, so that all conditions of an evaluation see the same value. (Two layers see the
   * same value by the invariant "read once" of `copies.ts`.)
   */
  readonly slots: SlotValue[] = [];
  /** The faults of slots that are {@link ERRED}, for variables: their readers cannot tell the fault by themselves. */
  readonly faults: string[] = [];
  /** The slots filled since {@link restart}. */
  private readonly filled: number[] = [];
  private fills = 0;
  /** Variables bound by macros, by nesting depth. */
  readonly locals: EvaluationResult[] = [];

  fill(slot: number, value: SlotValue): void {
    this.slots[slot] = value;
    this.filled[this.fills++] = slot;
  }

  /** Restores the whole budget. */
  replenish(): void {
    this.steps = STEP_BUDGET;
  }

  /** Empties all slots and restores the whole budget. */
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

/** Records why an evaluation fails, and returns the error: `return fail(ev, "division by zero")`. */
export function fail(ev: Evaluation, message: string): undefined {
  ev.fault = message;
  ev.faultAt = -1;
  return undefined;
}

/**
 * Pays `cost` steps; `false` (with the fault recorded) once the budget is exhausted. A step stands for roughly 100 ns
 * of work: one iteration of a comprehension's body, or 50 bytes of text scanned.
 *
 * INVARIANT (the end of the budget is the end): a cost that exceeds the budget, is negative or is NaN empties the
 * budget for good. Code that goes on after an error (`true || error`, a loop, the next variable) checks {@link
 * isExhausted}: an exhausted evaluation errs, whatever its value.
 *
 * The cost of comparing pairs is a product. Divide it, never shift it: `65536 * 65536 >> 2` is 0, and `46341 * 46341 >>
 * 2` is negative.
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

/** Whether the budget is exhausted. If so, that becomes the fault, replacing any later one. */
export function isExhausted(ev: Evaluation): boolean {
  return !spend(ev, 0);
}
