/** Whether a change to a request opened something: in the decision, or in a layer behind it. */

import type { Decision } from "../../decisions/types.js";

/** What was opened, in words; undefined if nothing was. */
export function opened(before: Decision, after: Decision): string | undefined {
  if (before.outcome !== "allow" && after.outcome === "allow") return `${before.outcome} became allow`;
  const layer = (["permission", "platform"] as const).find(
    (one) => before[one].effect === "deny" && after[one].effect === "allow",
  );
  return layer === undefined ? undefined : `the ${layer} layer denied, and now allows`;
}
