/** Questions that a test did not mean to ask: a refusal of one would pass for the refusal that was to be tested. */

import type { FaultKind, WiringFault } from "../engine/plan/verdict.js";

const MISASKED: ReadonlySet<FaultKind> = new Set([
  "invalid_policies",
  "invalid_request",
  "unknown_kind",
  "unknown_operation",
]);

/** The fault of a question that is wrong whatever the data: a misspelt operation, no account. */
export function misasked(fault: WiringFault | undefined): WiringFault | undefined {
  return fault !== undefined && MISASKED.has(fault.kind) ? fault : undefined;
}
