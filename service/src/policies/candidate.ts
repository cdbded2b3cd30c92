/** Compares the decisions of candidate policies with those in force. They decide nothing. */

import { type PolicySet, policySetHash, shadow } from "keyward";
import { loadPolicies } from "keyward/node";
import type { Logger } from "../observability/logger.js";
import type { Metrics } from "../observability/metrics.js";
import type { Decider } from "./decider.js";
import { type Policies, PoliciesInvalid } from "./policies.js";

/** Candidate policies, and their hash. */
export interface Candidate {
  readonly set: PolicySet;
  readonly hash: string;
}

/** Rejects with {@link PoliciesInvalid}. */
export async function loadCandidate(directory: string): Promise<Candidate> {
  const loaded = await loadPolicies(directory)();
  if (loaded._tag === "Left") throw new PoliciesInvalid(directory, loaded.left);
  return { set: loaded.right, hash: await policySetHash(loaded.right) };
}

/** A decider that also compares. Differences are counted, and logged with the names of the request and no attributes. */
export function withCandidate(
  decider: Decider,
  policies: Policies,
  { set: candidate, hash: candidateHash }: Candidate,
  /** The share of decisions that are compared: 0 to 1. */
  sample: number,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): Decider {
  const comparing = shadow(() => policies.current.set, {
    candidate,
    sample,
    onDifference: ({ request, decision, candidate: other }) => {
      const { operation, key, resource } = request;
      const [outcome, otherwise] = [decision.outcome, other.outcome];
      metrics.difference({ operation, outcome, candidate: otherwise });
      logger.warn(
        { operation, outcome, candidate: otherwise, keyId: key.id, resourceId: resource.id, candidateHash },
        "the candidate policies decide otherwise",
      );
    },
  });
  metrics.gauge(
    {
      ...{ name: "keyward_candidate_decisions", label: "result" },
      help: "Decisions by their comparison with the candidate policies: same, different, left out, or failed.",
    },
    () => {
      const { compared, differing, leftOut, failed } = comparing.counts();
      return { same: compared - differing, different: differing, left_out: leftOut, failed };
    },
  );
  return {
    ...decider,
    decide: async (request, requestId) => {
      const decided = await decider.decide(request, requestId);
      comparing.compare(request, decided.decision);
      return decided;
    },
  };
}
