/**
 * Whether a PDP has the policies that are in force here, as far as that can be seen.
 *
 * A PDP tells nobody which policies it has but administrators, by an API that is off as it comes. What it shows is what it
 * decides: so each decision is compared with that of the policies here. That it agrees on everything it was asked says
 * that nothing differs where requests are; one answer that differs says that its policies do.
 */

import { decide } from "keyward";
import type { InForce } from "keyward/watch";
import type { Logger } from "../observability/logger.js";
import { type Agreement, type Decider, OtherPolicies } from "./decider.js";
import type { Policies } from "./policies.js";

/** `decider`, watched. After an answer that differs it says so until it has agreed `enough` times in a row. */
export function compared(decider: Decider, policies: Policies, logger: Logger, enough = 100): Decider {
  let seen: { readonly inForce: InForce; agreement: Agreement; agreed: number } = {
    inForce: policies.current,
    agreement: "unknown",
    agreed: 0,
  };
  const note = (inForce: InForce, agrees: boolean): void => {
    // An answer to a question about policies that were replaced meanwhile says nothing.
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
