/** A circuit breaker for a decider that does not answer: requests get their 503 at once, not after a timeout. */

import { type Decider, type DecisionWithPolicySet, NoDecision } from "./decider.js";

export interface BreakerOptions {
  /** The number of failures in a row that open the circuit. */
  readonly failures: number;
  /** How long the circuit stays open before one request may try again, in milliseconds. */
  readonly pauseMs: number;
  readonly now?: () => number;
}

/**
 * `decider` behind a circuit breaker. After the pause, one request at a time is let through; a success closes the
 * circuit.
 */
export function withBreaker(
  decider: Decider,
  { failures, pauseMs, now = () => performance.now() }: BreakerOptions,
): Decider {
  let failed = 0;
  let openedAt = 0;
  let trying = false;

  const attempt = async (ask: () => Promise<DecisionWithPolicySet>): Promise<DecisionWithPolicySet> => {
    try {
      const decided = await ask();
      failed = 0;
      return decided;
    } catch (error) {
      failed++;
      openedAt = now();
      throw error;
    }
  };
  return {
    description: decider.description,
    decide: async (request, requestId) => {
      const ask = () => decider.decide(request, requestId);
      if (failed < failures) return await attempt(ask);
      if (trying || now() - openedAt < pauseMs) throw new NoDecision("the PDP did not answer lately");
      trying = true;
      try {
        return await attempt(ask);
      } finally {
        trying = false;
      }
    },
    ...(decider.agreement && { agreement: decider.agreement }),
    isBroken: () => failed >= failures,
    ping: () => decider.ping(),
    close: () => decider.close(),
  };
}
