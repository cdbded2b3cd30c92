/** A refusal on its way to the response. */

import type { Decision } from "keyward";

/** What is thrown for a decision that is not `allow`: a question that was at fault is this service's, and 500. */
export function refusalOf(decision: Decision): Error {
  const { fault } = decision;
  if (fault === undefined) return new Refused(decision);
  // Not its message, which can have values of the request in it.
  return new Error(`a decision on a question that is at fault: ${fault.kind} ${fault.path}`);
}

/** Thrown where a decision is not `allow`; the caller is told the contract's text for the outcome, and nothing else. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly decision: Pick<Decision, "outcome">;

  constructor(decision: Pick<Decision, "outcome">) {
    const { stackTraceLimit } = Error;
    // Where it comes from is of no use to anybody, and would take longer to find out than all of the decision.
    Error.stackTraceLimit = 0;
    super(decision.outcome);
    Error.stackTraceLimit = stackTraceLimit;
    this.decision = decision;
  }
}
