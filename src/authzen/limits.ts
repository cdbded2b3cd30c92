/** The bounds of a request. */

import { COUNT, checkOptions, type OptionTable } from "../policy/options.js";

export interface AuthzenLimits {
  /** The largest body, in bytes. Default: 1 MiB. A larger one is answered with 413. */
  readonly bodyBytes: number;
  /** The deepest nesting of lists and objects in a body. Default: 32. */
  readonly depth: number;
  /** The most evaluations of one request. Default: 1,000. */
  readonly evaluations: number;
  /** The most results on a page of a search. Default: 1,000. A request for more gets a page of this size. */
  readonly results: number;
}

const DEFAULTS: AuthzenLimits = { bodyBytes: 1_048_576, depth: 32, evaluations: 1_000, results: 1_000 };

const LIMITS = {
  bodyBytes: COUNT,
  depth: COUNT,
  evaluations: COUNT,
  results: COUNT,
} satisfies OptionTable<AuthzenLimits>;

/** Throws a `TypeError` for an unknown limit, and for one that is not a whole number of 1 or more. */
export function limitsOf(given: Partial<AuthzenLimits>): AuthzenLimits {
  checkOptions(given, LIMITS, "limits");
  const { bodyBytes, depth, evaluations, results } = DEFAULTS;
  return {
    bodyBytes: given.bodyBytes ?? bodyBytes,
    depth: given.depth ?? depth,
    evaluations: given.evaluations ?? evaluations,
    results: given.results ?? results,
  };
}
