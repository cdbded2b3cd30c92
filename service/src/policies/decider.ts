/** Who decides: the policies in this process, or a Cerbos PDP that has the same. */

import { type Decision, type DecisionRequest, decide } from "keyward";
import type { Policies } from "./policies.js";

export interface Decided {
  readonly decision: Decision;
  /** Of the policies that decided. */
  readonly policySetHash: string;
}

/** `unknown` until a PDP was asked something since the policies here were taken over. */
export type Agreement = "unknown" | "agree" | "differ";

export interface Decider {
  /** `embedded`, or the address of a PDP: for logs. */
  readonly description: string;
  /** Rejects with {@link NoDecision}. */
  decide(request: DecisionRequest, requestId: string): Promise<Decided>;
  /** Rejects if there would be no decision. */
  ping(): Promise<void>;
  /** Whether somebody else who decides has the policies that are in force here. */
  agreement?(): Agreement;
  close(): void;
}

/** There is no decision: not a refusal, but nothing may happen either. */
export class NoDecision extends Error {
  override readonly name = "NoDecision";
}

/** There is none because the PDP has other policies than those here. */
export class OtherPolicies extends NoDecision {
  override readonly name = "NoDecision";
}

export function embeddedDecider(policies: Policies): Decider {
  return {
    description: "embedded",
    decide: async (request) => {
      const { set, hash } = policies.current;
      return { decision: decide(set, request), policySetHash: hash };
    },
    ping: async () => {},
    close: () => {},
  };
}
