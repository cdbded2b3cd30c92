/** A refusal on its way to the response. */

import type { Decision } from "keyward";

/** Thrown where a decision is not `allow`; the caller is told the contract's text for the outcome, and nothing else. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly decision: Pick<Decision, "outcome">;

  constructor(decision: Pick<Decision, "outcome">) {
    super(decision.outcome);
    this.decision = decision;
  }
}
