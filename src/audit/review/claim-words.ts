/** Claims and laws of a review in words. */

import { NO_SOLVER } from "../../proof/question-prover.js";
import type { ClaimStanding, ReviewedClaim } from "./claim-types.js";

/** The standings of a claim or law, the gravest first. */
const STANDINGS = ["broken", "unproven", "meaningless", "proved"] as const;

/** Claims by urgency: withdrawn claims come after those that do not hold. */
export function inOrder(claims: readonly ReviewedClaim[]): readonly ReviewedClaim[] {
  const rank = ({ listed, after }: ReviewedClaim) =>
    2 * STANDINGS.indexOf(after.result) + (after.result === "proved" && listed !== "withdrawn" ? 1 : 0);
  return claims.toSorted((a, b) => rank(a) - rank(b));
}

/** The standing of a claim, in words. */
export function standingWords({ listed, before, after }: ReviewedClaim): string {
  if (listed === "withdrawn") return `withdrawn: ${WITHDRAWN[after.result]}`;
  if (listed === "added") return `new: ${ADDED[after.result]}`;
  if (after.result === "proved") {
    if (before === undefined || before.result === "meaningless") return "holds";
    return before.result === "proved" ? "kept" : before.result === "broken" ? "fixed" : "proved now";
  }
  if (after.result !== "broken") return ADDED[after.result];
  return before?.result === "proved"
    ? "broken by this change"
    : before?.result === "broken"
      ? "broken as before"
      : "broken";
}

const ADDED = {
  proved: "holds",
  broken: "broken",
  unproven: "not proved",
  meaningless: "does not apply to these policies",
} as const;

const WITHDRAWN = { ...ADDED, proved: "still holds" } as const;

/** The result of a standing, in one word. */
export function resultWords({ result }: ClaimStanding): string {
  return result === "proved"
    ? "held"
    : result === "unproven"
      ? "not proved"
      : result === "broken"
        ? "broken"
        : "did not apply";
}

/** The decision on the first of two requests that break a law or a claim. `position`: empty for a law. */
export function firstWords(position: string): string {
  return position === "" ? "refused" : "allowed";
}

/** `2 hold, 1 broken`, in the order of their first. */
export function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size === 0
    ? "none"
    : [...counts].map(([word, count]) => `${count} ${count === 1 ? word : manyOf(word)}`).join(", ");
}

/** The standing of several claims. */
function manyOf(word: string): string {
  return word.replace(/\bholds$/, "hold").replace(/^does /, "do ");
}

/** A reason, without the part that `solverWords` states once for all. */
export function shortWhy(why: string): string {
  const at = why.indexOf(NO_SOLVER);
  return at < 0 ? why : why.slice(0, at + NO_SOLVER.length);
}
