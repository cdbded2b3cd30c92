/**
 * Proofs of the operands of a bundle, for the output of commands. The bundle does not carry them: its bytes depend only
 * on its policies, and not on whether a solver was installed where it was built.
 */

import type { WrittenJudge } from "../bundle/written-functions.js";
import { printable } from "../policy/escape.js";
import type { OperandProofs } from "../proof/operands/operand-proof.js";
import { notAsked } from "../proof/question-prover.js";
import { isSolver } from "../solver/no-solver.js";
import { TimedSolver, TimeLimit } from "../solver/timed-solver.js";
import type { Arguments } from "./arguments.js";
import { totalTimeOf, withSolver } from "./solver-options.js";

/** Why no operand was proved. */
export interface UnaskedOperands {
  readonly notAsked: string;
}

/** Proves the operands with the solver, if there is one. */
export async function operandsOf(
  given: Arguments,
  judges: readonly WrittenJudge[],
): Promise<OperandProofs | UnaskedOperands> {
  return await withSolver(given, async (solver) => {
    if (!isSolver(solver)) return { notAsked: notAsked(solver) };
    // The parser of JavaScript is loaded only here.
    const { proveOperands } = await import("../proof/operands/operand-proof.js");
    return await proveOperands(judges, new TimedSolver(solver, new TimeLimit(totalTimeOf(given).timeLimit)));
  });
}

/** One line with the counts, and one line for each reason for which operands are not proved. */
export function operandsText(operands: OperandProofs | UnaskedOperands): string {
  if ("notAsked" in operands) return `operands: none is proved, all are tested; ${operands.notAsked}`;
  const { solver, proved, unproved } = operands;
  const places = new Map<string, string[]>();
  for (const { at, why } of unproved) places.set(why, [...(places.get(why) ?? []), at]);
  const rest = unproved.length === 0 ? "" : `; ${unproved.length} are tested, not proved`;
  const whole = `operands: ${proved} of ${proved + unproved.length} proved for all requests by z3-solver ${solver}${rest}`;
  return [whole, ...[...places].map(([why, at]) => printable(`operand not proved: ${why}: ${at.join(", ")}`))].join(
    "\n",
  );
}
