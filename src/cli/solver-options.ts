/** The solver of commands that prove. */

import { notAsked } from "../proof/question-prover.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import { findSolver, type Solver } from "../solver/solver.js";
import type { Arguments } from "./arguments.js";
import { UsageError } from "./exit.js";

const TIME_LIMIT = { value: "SECONDS", does: "time limit for one solver question" };

export const SOLVER_OPTIONS = {
  "no-solver": { does: "do not use the solver (the package z3-solver), even if it is installed" },
  "time-limit": TIME_LIMIT,
};

/** For commands that end with 5 if something is not proved. */
export const UNPROVEN_OPTION = { does: "exit with 0 in place of 5: nothing was found, but not everything is proved" };

/** For commands with so many questions to the solver that their total time can be limited. */
export const TOTAL_OPTIONS = {
  ...SOLVER_OPTIONS,
  "total-time": {
    value: "SECONDS",
    does: "time limit for all solver questions together; the rest counts as not proved",
  },
};

/** The limit on the total time, in milliseconds; empty if there is none. */
export function totalTimeOf({ texts }: Arguments): { readonly timeLimit?: number } {
  const timeLimit = millisecondsOf("total-time", texts.get("total-time"));
  return timeLimit === undefined ? {} : { timeLimit };
}

/** For commands that prove only on request. */
export const PROVE_OPTIONS = {
  prove: { does: "also check each rule and each permission with a solver" },
  "time-limit": TIME_LIMIT,
};

/**
 * Runs `act` with a solver if `--prove` asks for it, or if the solver has another use (`isOfUse`). With `--prove`, a
 * missing solver is a usage error.
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

/** The longest time limit, in seconds. */
const MAX_SECONDS = 3_600;

/** Converts the seconds of an option to milliseconds. */
function millisecondsOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw new UsageError(`--${option} must be a number of seconds, ${MAX_SECONDS} at most`);
}

/**
 * Runs `act` with the installed solver, if there is one and `--no-solver` is absent, and closes the solver afterwards.
 */
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
