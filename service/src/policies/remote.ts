/** Decisions by a Cerbos PDP that has the same policies. */

import { GRPC } from "@cerbos/grpc";
import { type RemoteDecide, remoteDecider } from "keyward/cerbos";
import type { InForce } from "keyward/watch";
import { type Decider, NoDecision, OtherPolicies } from "./decider.js";
import type { Policies } from "./policies.js";

export interface RemoteOptions {
  /** `host:port`, or `unix:/path`. */
  readonly address: string;
  readonly tls: boolean;
  readonly timeoutMs: number;
}

/**
 * How soon a connection that failed is tried again, in milliseconds: gRPC itself would wait longer each time, up to two
 * minutes, and so much longer than the PDP was away. It is one connection a process, so a PDP that comes back bears it.
 */
const RECONNECT = { "grpc.initial_reconnect_backoff_ms": 500, "grpc.max_reconnect_backoff_ms": 2_000 };

/** Asks the PDP, and decides nothing without it. */
export function remotePdp(policies: Policies, { address, tls, timeoutMs }: RemoteOptions): Decider {
  const client = new GRPC(address, { tls, channelOptions: RECONNECT });
  const deciders = new WeakMap<InForce, RemoteDecide>();
  const deciderFor = (inForce: InForce): RemoteDecide => {
    const decider = deciders.get(inForce) ?? remoteDecider(client, inForce.set, { timeoutMs });
    deciders.set(inForce, decider);
    return decider;
  };
  return {
    description: address,
    decide: async (request, requestId) => {
      const inForce = policies.current;
      const answer = await deciderFor(inForce)(request, { requestId })();
      if (answer._tag === "Left") {
        const { kind, message, cause } = answer.left;
        const Kind = kind === "other_policies" ? OtherPolicies : NoDecision;
        throw new Kind(`${kind}: ${message}`, { cause });
      }
      return { decision: answer.right, policySetHash: inForce.hash };
    },
    ping: async () => {
      const { status } = await client.checkHealth(undefined, { signal: AbortSignal.timeout(timeoutMs) });
      if (status !== "SERVING") throw new NoDecision(`the PDP says ${status}`);
    },
    close: () => client.close(),
  };
}
