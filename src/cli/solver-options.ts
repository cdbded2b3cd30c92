/** The solver of commands that prove. */

import { notAsked } from "../proof/question-prover.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import { findSolver, type Solver } from "../solver/solver.js";
import type { Arguments } from "./arguments.js";
import { UsageError } from "./exit.js";

const TIME_LIMIT = { value: "SECONDS", does: "how long one question to the solver may take" };

export const SOLVER_OPTIONS = {
  "no-solver": { does: "ask no solver, though one is installed" },
  "time-limit": TIME_LIMIT,
};

/** Of commands that end with 5 where something is not proved. */
export const UNPROVEN_OPTION = { does: "end with 0 where nothing is found, though not all is proved" };

/** Of commands that ask it so much that all of it together can be limited. */
export const TOTAL_OPTIONS = {
  ...SOLVER_OPTIONS,
  "total-time": { value: "SECONDS", does: "how long all questions may take; what is left then is not proved" },
};

/** The time for all of it, if it is limited. */
export function totalTimeOf({ texts }: Arguments): { readonly timeLimit?: number } {
  const timeLimit = millisecondsOf("total-time", texts.get("total-time"));
  return timeLimit === undefined ? {} : { timeLimit };
}

/** Of commands that prove only what they are asked to. */
export const PROVE_OPTIONS = {
  prove: { does: "have a solver look at each rule and each permission as well" },
  "time-limit": TIME_LIMIT,
};

/**
 * Does something with a solver if that is asked for (`--prove`), which is bad usage without one, or if it is of use for
 * something else (`isOfUse`).
 */
export async function withProofs<T>(
  given: Arguments,
  act: (solver: Solver | NoSolver | undefined) => Promise<T>,
  isOfUse = false,
): Promise<T> {
  const isAsked = given.switches.has("prove");
  if (!isAsked && !isOfUse) return await act(undefined);
  return await withSolver(given, (solver) => {
    if (isAsked && !isSolver(solver)) throw new UsageError(`--prove: ${notAsked(solver)}`);
    return act(solver);
  });
}

/** Longest time that can be asked for, in seconds. */
const MAX_SECONDS = 3_600;

/** A time that is given in seconds. */
function millisecondsOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw new UsageError(`--${option} must be a number of seconds, ${MAX_SECONDS} at most`);
}

/** Does something with the solver that is installed, if there is one and it is wanted, and ends it. */
export async function withSolver<T>(
  { texts, switches }: Arguments,
  act: (solver: Solver | NoSolver | undefined) => Promise<T>,
): Promise<T> {
  const timeLimit = millisecondsOf("time-limit", texts.get("time-limit"));
  const limits = timeLimit === undefined ? {} : { timeLimit };
  if (switches.has("no-solver")) return await act({ notAsked: "--no-solver was given" });
  const solver = findSolver(limits);
  try {
    return await act(solver);
  } finally {
    solver?.close();
  }
}
