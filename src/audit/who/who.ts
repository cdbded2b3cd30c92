/** Who may do something: all ways in which an operation is allowed. */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import type { AskedRequests } from "./asked.js";
import { type SearchLimits, searchWays } from "./search.js";
import type { WhoMay } from "./types.js";

export interface WhoOptions extends SearchLimits, Pick<AskedRequests, "role" | "assume"> {
  /** The kind of resource. Without it, every kind for which the policies know the operation. */
  readonly kind?: string;
}

/** The position of a name that comes from no file. */
export const NOWHERE = { file: "", line: 1, column: 1 };

/**
 * The minimal ways in which an operation is allowed, each with a replayed request. If the solver does not prove the
 * list complete, the result says why. Without a solver, no ways are found.
 */
export async function whoMay(
  policies: PolicySet,
  operation: string,
  solver: Solver | NoSolver | undefined,
  { kind, ...options }: WhoOptions = {},
): Promise<WhoMay> {
  const named = (name: string) => [{ name, at: NOWHERE }];
  const about = { operations: named(operation), kinds: kind === undefined ? undefined : named(kind) };
  const found = await searchWays(policies, solver, options, { about });
  return "kind" in found ? found : { kind: "answered", operations: found.map(({ ways }) => ways) };
}
