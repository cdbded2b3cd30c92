/** The results of claims and laws in a review, as plain data. */

import type { Outcome } from "../../decisions/types.js";
import type { ClaimResult } from "../../proof/claims/types.js";
import type { RequestJson } from "../../space/draft.js";

/** The result of a claim or law for one set. */
export interface ClaimStanding {
  /** `meaningless`: it has names that the set does not know, or assumptions that no request satisfies. */
  readonly result: ClaimResult | "meaningless";
  /** How it was proved, or why it is unproven. */
  readonly why: string;
  /** If it is broken: the smallest request found that breaks it, and its outcome. */
  readonly request?: RequestJson;
  /** If a law about two requests is broken: the second request, to which `outcome` belongs. */
  readonly changed?: RequestJson;
  readonly outcome?: Outcome;
}

export interface ReviewedClaim {
  readonly claim: string;
  /** `file:line:column`; `""` for a law. For a withdrawn claim it is a position in the older set. */
  readonly position: string;
  /**
   * `stated`: in both sets with the same words and meaning, or in a file given for the review; laws are always
   * `stated`. `added`: only in the newer set. `withdrawn`: only in the older set. A claim with a changed meaning is
   * withdrawn and added.
   */
  readonly listed: "stated" | "added" | "withdrawn";
  /** Of the older set; absent where there is none. */
  readonly before?: ClaimStanding;
  readonly after: ClaimStanding;
}
