/** Who decides: the policies in this process, or a Cerbos PDP that has the same. */

import { type Decision, type DecisionRequest, decide } from "keyward";
import type { Policies } from "./policies.js";

export interface Decided {
  readonly decision: Decision;
  /** Of the policies that decided. */
  readonly policySetHash: string;
}

export interface Decider {
  /** `embedded`, or the address of a PDP: for logs. */
  readonly description: string;
  /** Rejects with {@link NoDecision}. */
  decide(request: DecisionRequest, requestId: string): Promise<Decided>;
  /** Rejects if there would be no decision. */
  ping(): Promise<void>;
  close(): void;
}

/** There is no decision: not a refusal, but nothing may happen either. */
export class NoDecision extends Error {
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
