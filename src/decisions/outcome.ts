/** Combines the verdicts of both layers. */

import type { LayerVerdict } from "../engine/plan/verdict.js";
import { type AskedLayers, faultOf } from "./fault.js";
import type { RequestIssue } from "./request-issue.js";
import type { Decision, Outcome, PlatformVerdict } from "./types.js";

/**
 * The decision that follows from the verdicts of both layers on `action` and `resource`. Both are arguments of their
 * own so that the hot path allocates no object.
 */
export function decisionOf(
  layers: AskedLayers,
  action: string | RequestIssue,
  resource: { readonly kind: string } | RequestIssue,
  permission: LayerVerdict,
  platform: PlatformVerdict,
): Decision {
  const outcome = outcomeOf(permission, platform);
  const fault = outcome === "allow" ? undefined : faultOf(layers, action, resource, permission, platform);
  return fault === undefined ? { outcome, permission, platform } : { outcome, permission, platform, fault };
}

/** Combines the layers (docs/contract.md §7.2 and §7.5). */
export function outcomeOf(permission: LayerVerdict, platform: LayerVerdict): Outcome {
  if (platform.effect !== "allow") return "forbidden";
  if (permission.effect !== "allow") return "insufficient_permissions";
  return "allow";
}

/**
 * Whether a decision is `allow`. A decision is an object, so `if (decide(policies, request))` is always true:
 * write `if (isAllowed(decide(policies, request)))`.
 */
export function isAllowed(decision: Pick<Decision, "outcome">): boolean {
  return decision.outcome === "allow";
}
