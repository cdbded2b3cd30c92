/** Makes decisions: by the policies in this process, or by a Cerbos PDP that has the same policies. */

import { type Decision, type DecisionRequest, decide, type PolicySet } from "keyward";
import type { Policies } from "./policies.js";

export interface DecisionWithPolicySet {
  readonly decision: Decision;
  /** The policies that decided, or those in force here if a PDP decided. */
  readonly policies: PolicySet;
  /** The hash of the policies that decided. */
  readonly policySetHash: string;
}

/** `unknown` until the PDP has answered a request since the current policies were loaded. */
export type Agreement = "unknown" | "agree" | "differ";

export interface Decider {
  /** `embedded`, or the address of a PDP, for logs. */
  readonly description: string;
  /** Rejects with {@link NoDecision}. */
  decide(request: DecisionRequest, requestId: string): Promise<DecisionWithPolicySet>;
  /** Rejects if decisions are not possible at present. */
  ping(): Promise<void>;
  /** Whether a remote decider has the policies that are in force here. */
  agreement?(): Agreement;
  /** True while a circuit breaker keeps requests from a remote decider. */
  isBroken?(): boolean;
  close(): void;
}

/** There is no decision. This is not a refusal, but the operation must not happen. */
export class NoDecision extends Error {
  override readonly name = "NoDecision";
}

/** There is no decision, because the PDP has other policies than those here. */
export class OtherPolicies extends NoDecision {
  override readonly name = "NoDecision";
}

export function embeddedDecider(policies: Policies): Decider {
  return {
    description: "embedded",
    decide: async (request) => {
      const { set, hash } = policies.current;
      return { decision: decide(set, request), policies: set, policySetHash: hash };
    },
    ping: async () => {},
    close: () => {},
  };
}
