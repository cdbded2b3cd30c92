import type { Decision } from "../../decisions/types.js";

/** The meaning of a decision for the caller, in a sentence. */
export function meaningOf({ outcome, platform }: Pick<Decision, "outcome" | "platform">): string {
  switch (outcome) {
    case "allow":
      return platform.asked === false
        ? "The key may do it. These policies have no platform layer."
        : "Both layers allow it.";
    case "insufficient_permissions":
      return "The key lacks permission; another key could do it.";
    case "forbidden":
      return "The platform prohibits it for every key.";
  }
}
