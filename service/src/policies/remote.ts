/** Decisions by a Cerbos PDP that has the same policies. */

import { GRPC } from "@cerbos/grpc";
import type { DecisionRequest } from "keyward";
import { type RemoteDecide, remoteDecider } from "keyward/cerbos";
import type { PoliciesInForce } from "keyward/watch";
import { type Decider, NoDecision, OtherPolicies } from "./decider.js";
import type { Policies } from "./policies.js";

export interface RemoteOptions {
  /** `host:port`, `unix:/path`, or `ipv4:address:port,address:port`; a host may have several addresses. */
  readonly address: string;
  readonly tls: boolean;
  readonly timeoutMs: number;
}

/** Each connection that is ready takes turns, where the name of the address stands for a fleet of PDPs. */
const ROUND_ROBIN = { "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }) };

/**
 * How soon a failed connection is tried again, in milliseconds. By default, gRPC waits longer each time, up to two
 * minutes, so it would outlast the PDP's outage. Each process has one connection, so a returning PDP can bear the
 * retries.
 */
const RECONNECT = { "grpc.initial_reconnect_backoff_ms": 500, "grpc.max_reconnect_backoff_ms": 2_000 };

/** An ordinary request about a kind that the service's policies have. Nothing depends on its outcome. */
const PROBE: DecisionRequest = {
  key: {
    id: "readiness",
    roles: ["viewer"],
    attr: { accountId: "readiness", workspaceIds: ["*"], environment: "production", permissions: [] },
  },
  operation: "apis.getApi",
  resource: {
    kind: "api",
    id: "readiness",
    attr: {
      ...{ accountId: "readiness", workspaceId: "readiness", environment: "production" },
      ...{ system: false, deleteProtection: false, state: "active", keyCount: 0 },
    },
  },
  account: {
    id: "readiness",
    attr: {
      ...{ plan: "pro", status: "active", holds: [] },
      ...{ limits: { apis: 1, keys: 1 }, usage: { apis: 0, keys: 0 } },
    },
  },
};

/** Asks the PDP. Without its answer there is no decision. */
export function remotePdp(policies: Policies, { address, tls, timeoutMs }: RemoteOptions): Decider {
  const client = new GRPC(address, { tls, channelOptions: { ...RECONNECT, ...ROUND_ROBIN } });
  const deciders = new WeakMap<PoliciesInForce, RemoteDecide>();
  const deciderFor = (inForce: PoliciesInForce): RemoteDecide => {
    const decider = deciders.get(inForce) ?? remoteDecider(client, inForce.set, { timeoutMs });
    deciders.set(inForce, decider);
    return decider;
  };
  const decide: Decider["decide"] = async (request, requestId) => {
    const inForce = policies.current;
    const answer = await deciderFor(inForce)(request, { requestId })();
    if (answer._tag === "Left") {
      const { kind, message, cause } = answer.left;
      const Kind = kind === "other_policies" ? OtherPolicies : NoDecision;
      throw new Kind(`${kind}: ${message}`, { cause });
    }
    return { decision: answer.right, policies: inForce.set, policySetHash: inForce.hash };
  };
  return {
    description: address,
    decide,
    ping: async () => {
      const { status } = await client.checkHealth(undefined, { signal: AbortSignal.timeout(timeoutMs) });
      if (status !== "SERVING") throw new NoDecision(`the PDP says ${status}`);
      // A PDP without policies is healthy by its own account, and every request would be 503.
      await decide(PROBE, "readiness");
    },
    close: () => client.close(),
  };
}
