/** Expectations for the theorems about two decisions. */

import { expect } from "vitest";
import type { Decision } from "../../src/index.js";

/** Damage to a request may remove an `allow`, of the decision or of a layer. It never adds one. */
export function expectFailsClosed(before: Decision, after: Decision, damage: string): void {
  if (before.outcome !== "allow") expect(after.outcome, damage).not.toBe("allow");
  for (const layer of ["permission", "platform"] as const) {
    if (before[layer].effect === "deny") expect(after[layer].effect, `${layer}: ${damage}`).toBe("deny");
  }
}
