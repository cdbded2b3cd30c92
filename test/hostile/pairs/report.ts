/** Results of hostile pairs. */

import type { Outcome } from "../../../src/index.js";

/** Results for the pairs of one form. */
export interface Found {
  pairs: number;
  /** Pairs with an error, fault or issue that shows that the hostile form was reached. */
  met: number;
  threw: number;
  /** Pairs with refused policies. */
  notLoaded: number;
  /** Pairs with an issue line that contains a command to a terminal or a CI system. */
  printed: number;
  /** The most function calls in one decision. */
  calls: number;
  /** The most function calls for each character of the policies while compiling them. */
  callsACharacter: number;
  readonly outcomes: { [outcome in Outcome]: number };
}

export interface Report {
  readonly found: { [form: string]: Found };
  /** The peak memory of the process, in bytes. */
  readonly peak: number;
}
