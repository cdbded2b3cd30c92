/** Whether a change to a request opened the decision, or one of its layers. */

import type { Decision } from "../../decisions/types.js";

const LAYERS = ["permission", "platform"] as const;

/**
 * A description of the opening: a refusal that became `allow`, or a layer that denied and now allows. It names the layers
 * that changed. Undefined if nothing was opened.
 */
export function openingOf(before: Decision, after: Decision): string | undefined {
  const layers = LAYERS.filter((one) => before[one].effect === "deny" && after[one].effect === "allow");
  const changed = layers.map((one) => `the ${one} layer denied, and now allows`).join("; ");
  if (before.outcome !== "allow" && after.outcome === "allow") {
    return changed === "" ? `${before.outcome} became allow` : `${before.outcome} became allow (${changed})`;
  }
  return changed === "" ? undefined : changed;
}
