/** Refusals, thrown on their way to the response. */

import type { Decision } from "keyward";

/**
 * The error for a decision that is not `allow`. A fault in the request to `decide` is this service's own, and becomes
 * 500.
 */
export function refusalOf(decision: Decision, challenge?: string): Error {
  const { fault } = decision;
  if (fault === undefined) return new Refused(decision, challenge);
  // The fault's message is left out: it can contain values of the request.
  return new Error(`a decision on a question that is at fault: ${fault.kind} ${fault.path}`);
}

/**
 * Thrown for a decision that is not `allow`. The caller gets the contract's text for the outcome, and the challenge if
 * there is one.
 */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly decision: Pick<Decision, "outcome">;
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string | undefined;

  constructor(decision: Pick<Decision, "outcome">, challenge?: string) {
    const { stackTraceLimit } = Error;
    // Nobody needs the stack trace, and collecting it takes longer than the whole decision.
    Error.stackTraceLimit = 0;
    super(decision.outcome);
    Error.stackTraceLimit = stackTraceLimit;
    this.decision = decision;
    this.challenge = challenge;
  }
}
