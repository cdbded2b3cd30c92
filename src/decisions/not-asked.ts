/** What stands in place of the platform's verdict where a policy set has no platform layer. */

import { NONE, shared } from "../engine/evaluate/verdicts.js";
import { NO_MATCH } from "../engine/plan/plan.js";
import type { PlatformVerdict } from "./types.js";

/** The same in every decision of every permission-only set, and so frozen (the invariant "frozen verdicts"). */
export const NOT_ASKED: PlatformVerdict = Object.freeze({
  asked: false,
  ...shared({
    effect: "allow",
    policy: NO_MATCH,
    scope: "",
    reasons: [{ kind: "default", reason: "not_asked", rule: "", policy: "" }],
    errors: NONE,
    outputs: NONE,
    derivedRoles: NONE,
  }),
});
