/**
 * What generated code may be worth in steps, which are what closures spend (`cel/evaluation.ts`).
 *
 * INVARIANT (budget of generated code): for whatever a generated function accepts, closures spend at most half of the
 * budget on the same conditions and outputs, so they would have come to the same answer; the other half is for the rules
 * that the function leaves to closures.
 * - What a form costs whatever the request is is counted while it is written, to {@link MAX_FIXED} (`Draft.pays`).
 *   Inside the body of a macro it counts for each element.
 * - What grows with the request is counted in `k` while the function runs, to {@link MAX_COUNTED}. What walks a list or
 *   a text adds its whole cost before it starts, or declines: so the time that a function takes has a bound, too.
 * - Each cost is at least what the closures spend: their formulas are cited where it is counted.
 */

import { TEXT_STEP } from "../../cel/equality.js";
import { STEP_BUDGET } from "../../cel/evaluation.js";

/** Steps that forms may cost in one function, whatever the request is. */
export const MAX_FIXED = STEP_BUDGET / 4;

/** Steps that one run of a function may count. */
export const MAX_COUNTED = STEP_BUDGET / 4;

/** Lists shorter than this are searched by closures for little or nothing, and by generated code without counting. */
export const LONG_LIST = 64;

/** Texts shorter than this are compared by closures for nothing. */
export const LONG_TEXT = TEXT_STEP;
