/** The direction of a changed answer. */

import { OUTCOMES } from "../decisions/types.js";
import type { RecordedAnswer } from "./check-set.js";

/**
 * `filter`: the change of a plan's filter. Filters are not compared, so it may widen and narrow. `refusal`: both answers
 * refuse.
 */
export type ChangeDirection = "widened" | "narrowed" | "refusal" | "filter";

/** The words of the server, and of decision records. */
const ALLOWED: ReadonlySet<string> = new Set(["EFFECT_ALLOW", "allow"]);
const ANSWERS: ReadonlySet<string> = new Set([...ALLOWED, "EFFECT_DENY", ...OUTCOMES]);

/** The direction of a change between two answers that differ. */
export function directionOf(before: string | undefined, after: string | undefined): ChangeDirection {
  if (!ANSWERS.has(after ?? "")) return "filter";
  if (ALLOWED.has(after ?? "")) return "widened";
  return ALLOWED.has(before ?? "") ? "narrowed" : "refusal";
}

/** The directions of a line with several actions. */
export function directionsOf(before: RecordedAnswer, after: RecordedAnswer): ReadonlySet<ChangeDirection> {
  const changes = Object.keys(after).filter((action) => after[action] !== before[action]);
  return new Set(changes.map((action) => directionOf(before[action], after[action])));
}
