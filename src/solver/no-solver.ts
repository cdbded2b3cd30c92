/** Stands in place of a solver that is not to be asked. */

import type { Solver } from "./solver.js";

export interface NoSolver {
  /** The reason, for reports of claims that are not proved. */
  readonly notAsked: string;
}

export function isSolver(one: Solver | NoSolver | undefined): one is Solver {
  return one !== undefined && "ask" in one;
}
