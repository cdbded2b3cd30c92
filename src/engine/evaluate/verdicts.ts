/** Verdicts that need no policies, and what verdicts share. */

import { NO_MATCH } from "../plan/plan.js";
import type { LayerVerdict, WiringFault } from "../plan/verdict.js";

export const NONE: readonly never[] = Object.freeze([]);

/** The verdict on a request that is not one, or that cannot be read to its end; `path` is the part that is at fault. */
export function refusedVerdict(message: string, path = ""): LayerVerdict {
  return faultyVerdict({ kind: "invalid_request", path, message });
}

/** The verdict on a request that ends in no other way than the stack does, or of which nothing can be read. */
export function unreadableVerdict(): LayerVerdict {
  return refusedVerdict("the request cannot be read to its end, or is nested too deep");
}

/** The verdict where policies were not asked, or could not be. */
export function faultyVerdict(
  fault: WiringFault & { readonly kind: "invalid_request" | "invalid_policies" },
): LayerVerdict {
  const { kind, message } = fault;
  return {
    effect: "deny",
    policy: NO_MATCH,
    scope: "",
    reasons: [{ kind: "error", reason: kind, rule: "", policy: "" }],
    errors: [{ policy: "", rule: "", expression: "", message, position: "" }],
    outputs: NONE,
    derivedRoles: NONE,
    fault,
  };
}

/**
 * Makes a verdict unchangeable.
 *
 * INVARIANT (frozen verdicts): what is kept from one decision to the next and given to several callers is frozen, so
 * that no caller can change what another is told.
 */
export function shared(verdict: LayerVerdict): LayerVerdict {
  for (const list of [verdict.reasons, verdict.errors, verdict.outputs, verdict.derivedRoles]) {
    for (const item of list) Object.freeze(item);
    Object.freeze(list);
  }
  return Object.freeze(verdict);
}
