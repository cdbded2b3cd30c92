/** What came of hostile pairs. */

import type { Outcome } from "../../../src/index.js";

/** What came of the pairs of one form. */
export interface Found {
  pairs: number;
  /** Those of which something said that what makes them hostile was met. */
  met: number;
  threw: number;
  /** Those whose policies were refused. */
  notLoaded: number;
  /** Those of which a line of an issue holds what a terminal or a CI system obeys. */
  printed: number;
  /** The most calls of functions in one decision. */
  calls: number;
  /** The most calls of functions for a character of policies, where these are compiled. */
  callsACharacter: number;
  readonly outcomes: { [outcome in Outcome]: number };
}

export interface Report {
  readonly found: { [form: string]: Found };
  /** The most bytes of memory that the process had. */
  readonly peak: number;
}
