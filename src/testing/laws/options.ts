/** The options of all laws. */

import type * as fc from "fast-check";
import { decide } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Decision } from "../../decisions/types.js";
import { CALLBACK, checkOptions, OBJECT, type OptionTable } from "../../policy/options.js";
import type { PlainRequest } from "./plain-request.js";
import { requests } from "./requests.js";

export interface LawOptions {
  /** The requests to try. Default: {@link requests} of the policies. */
  readonly requests?: fc.Arbitrary<PlainRequest>;
  /** Makes the decisions: a wrapper of your own, for example. Default: `decide`. */
  readonly decide?: (policies: PolicySet, request: PlainRequest) => Decision;
}

export const LAW_OPTIONS = { requests: OBJECT, decide: CALLBACK } satisfies OptionTable<LawOptions>;

export interface LawTrial {
  readonly cases: fc.Arbitrary<PlainRequest>;
  readonly ask: (request: PlainRequest) => Decision;
}

/** `table`: the options of the law. Throws a `TypeError` for any other, or an invalid value. */
export function trialOf(
  policies: PolicySet,
  options: LawOptions,
  table: OptionTable<LawOptions> = LAW_OPTIONS,
): LawTrial {
  checkOptions(options, table);
  const by = options.decide ?? decide;
  return { cases: options.requests ?? requests(policies), ask: (request) => by(policies, request) };
}
