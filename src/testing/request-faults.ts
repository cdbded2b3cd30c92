/** Faults of requests that a test did not mean to ask: their refusal would pass for the refusal under test. */

import type { FaultKind, WiringFault } from "../engine/plan/verdict.js";

const MISASKED: ReadonlySet<FaultKind> = new Set([
  "invalid_policies",
  "invalid_request",
  "unknown_kind",
  "unknown_operation",
]);

/** The fault, if the request is wrong for all data: a misspelt operation, a missing account. */
export function requestFaultOf(fault: WiringFault | undefined): WiringFault | undefined {
  return fault !== undefined && MISASKED.has(fault.kind) ? fault : undefined;
}
