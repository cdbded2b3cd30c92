/** Verdicts that need no policies, and the parts that verdicts share. */

import { NO_MATCH } from "../plan/plan.js";
import type { LayerVerdict, WiringFault } from "../plan/verdict.js";

export const NONE: readonly never[] = Object.freeze([]);

/** The verdict on a malformed request, or on one that cannot be read to its end. `path`: the part at fault. */
export function refusedVerdict(message: string, path = ""): LayerVerdict {
  return faultyVerdict({ kind: "invalid_request", path, message });
}

/** The verdict on a request that exhausts the stack, or that cannot be read at all. */
export function unreadableVerdict(): LayerVerdict {
  return refusedVerdict("the request cannot be read to its end: it has too many attributes, or is nested too deep");
}

/** The verdict if policies were not asked, or could not be asked. */
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
 * Freezes a verdict.
 *
 * INVARIANT (frozen verdicts): values that are kept between decisions and given to several callers are frozen. So no
 * caller can change the answer to another.
 */
export function freezeVerdict(verdict: LayerVerdict): LayerVerdict {
  for (const list of [verdict.reasons, verdict.errors, verdict.outputs, verdict.derivedRoles]) {
    for (const item of list) Object.freeze(item);
    Object.freeze(list);
  }
  return Object.freeze(verdict);
}
