/** What the theorems say of a decision and of another one. */

import { expect } from "vitest";
import type { Decision } from "../../src/index.js";

/** Damage to a request may take an `allow` away, of the decision or of a layer. It never gives one. */
export function expectFailsClosed(before: Decision, after: Decision, damage: string): void {
  if (before.outcome !== "allow") expect(after.outcome, damage).not.toBe("allow");
  for (const layer of ["permission", "platform"] as const) {
    if (before[layer].effect === "deny") expect(after[layer].effect, `${layer}: ${damage}`).toBe("deny");
  }
}
