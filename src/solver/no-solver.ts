/** What stands in place of a solver where none is to be asked. */

import type { Solver } from "./solver.js";

export interface NoSolver {
  /** Why not, for whoever is told what is not proved. */
  readonly notAsked: string;
}

export function isSolver(one: Solver | NoSolver | undefined): one is Solver {
  return one !== undefined && "ask" in one;
}
