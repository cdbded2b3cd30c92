/** Whether a change to a request opened the decision, or one of its layers. */

import type { Decision } from "../../decisions/types.js";

/** A description of the opening: a refusal that became `allow`. Undefined if there is none. */
export function openingOf(before: Decision, after: Decision): string | undefined {
  if (before.outcome !== "allow" && after.outcome === "allow") return `${before.outcome} became allow`;
  const layer = (["permission", "platform"] as const).find(
    (one) => before[one].effect === "deny" && after[one].effect === "allow",
  );
  return layer === undefined ? undefined : `the ${layer} layer denied, and now allows`;
}
