/**
 * Detects whether a PDP has the same policies as this service, as far as its decisions show.
 *
 * A PDP reveals its policies to administrators only, by an API that is off by default. So each of its decisions is
 * compared with a decision by the policies here. Agreement shows only that the policies agree on the requests so far; a
 * single difference proves that the policies differ.
 */

import { decide } from "keyward";
import type { PoliciesInForce } from "keyward/watch";
import type { Logger } from "../observability/logger.js";
import { type Agreement, type Decider, OtherPolicies } from "./decider.js";
import type { Policies } from "./policies.js";

/** Watches `decider`. After a difference, reports `differ` until `enough` decisions in a row have agreed. */
export function withAgreementCheck(decider: Decider, policies: Policies, logger: Logger, enough = 100): Decider {
  let seen: { readonly inForce: PoliciesInForce; agreement: Agreement; agreed: number } = {
    inForce: policies.current,
    agreement: "unknown",
    agreed: 0,
  };
  const note = (inForce: PoliciesInForce, agrees: boolean): void => {
    // Ignores answers by policies that were replaced meanwhile.
    if (inForce !== policies.current) return;
    if (seen.inForce !== inForce) seen = { inForce, agreement: "unknown", agreed: 0 };
    seen.agreed = agrees ? seen.agreed + 1 : 0;
    const next = !agrees || (seen.agreement === "differ" && seen.agreed < enough) ? "differ" : "agree";
    if (next === seen.agreement) return;
    seen.agreement = next;
    const told = { policySetHash: inForce.hash, pdp: decider.description };
    if (next === "differ") logger.warn(told, "the PDP has other policies than these");
    else logger.info(told, "the PDP decides as these policies do");
  };
  return {
    description: decider.description,
    decide: async (request, requestId) => {
      const inForce = policies.current;
      try {
        const decided = await decider.decide(request, requestId);
        const here = decide(inForce.set, request);
        const { permission, platform } = decided.decision;
        note(inForce, permission.effect === here.permission.effect && platform.effect === here.platform.effect);
        return decided;
      } catch (error) {
        if (error instanceof OtherPolicies) note(inForce, false);
        throw error;
      }
    },
    agreement: () => (seen.inForce === policies.current ? seen.agreement : "unknown"),
    ping: () => decider.ping(),
    close: () => decider.close(),
  };
}
