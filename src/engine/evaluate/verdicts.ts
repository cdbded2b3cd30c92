/** Verdicts that need no policies, and what verdicts share. */

import { NO_MATCH } from "../plan/plan.js";
import type { LayerVerdict } from "../plan/verdict.js";

export const NONE: readonly never[] = Object.freeze([]);

/** The verdict on a request that is not one, or that cannot be read to its end. */
export function refusedVerdict(message: string): LayerVerdict {
  return {
    effect: "deny",
    policy: NO_MATCH,
    scope: "",
    reasons: [{ kind: "error", reason: "invalid_request", rule: "", policy: "" }],
    errors: [{ policy: "", rule: "", expression: "", message, position: "" }],
    outputs: NONE,
    derivedRoles: NONE,
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
