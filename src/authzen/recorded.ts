/** Decisions for decision logs. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Decision, PermissionRequest } from "../decisions/types.js";

/** A decision that was made for an evaluation. */
export interface AuthzenDecision {
  /** The caller's `X-Request-ID`; undefined if there is none. */
  readonly requestId: string | undefined;
  readonly request: PermissionRequest;
  readonly decision: Decision;
  /** The policies that decided. */
  readonly policies: PolicySet;
  /** How long the decision took, in milliseconds. */
  readonly durationMs: number;
}
