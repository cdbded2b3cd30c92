/**
 * The budget of generated code, in the steps that closures spend (`cel/evaluation.ts`).
 *
 * INVARIANT (budget of generated code): if a generated function accepts a request, closures spend at most half of the
 * budget on the same conditions and outputs, so they come to the same answer. The other half is for the rules that the
 * function leaves to closures.
 * - The fixed cost of a form is counted while the form is written, up to {@link MAX_FIXED} (`Draft.pays`). In the body of a
 *   macro it counts for each element.
 * - The cost that grows with the request is counted in `k` while the function runs, up to {@link MAX_COUNTED}. A search
 *   of a list or a text adds its whole cost before it starts, or declines. So the time of a function has a bound, too.
 * - Each cost is at least the cost of the closures. Comments cite their formulas.
 */

import { TEXT_STEP } from "../../cel/equality.js";
import { STEP_BUDGET } from "../../limits.js";

/** The fixed cost that all forms of one function may have, in steps. */
export const MAX_FIXED = STEP_BUDGET / 4;

/** The cost that one run of a function may count, in steps. */
export const MAX_COUNTED = STEP_BUDGET / 4;

/** Closures search shorter lists for few steps or none, and generated code does not count them. */
export const LONG_LIST = 64;

/** Closures compare shorter texts for no steps. */
export const LONG_TEXT = TEXT_STEP;
