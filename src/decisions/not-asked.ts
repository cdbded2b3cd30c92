/** The platform verdict of a policy set without a platform layer. */

import { freezeVerdict, NONE } from "../engine/evaluate/verdicts.js";
import { NO_MATCH } from "../engine/plan/plan.js";
import type { PlatformVerdict } from "./types.js";

/** Shared by the decisions of all permission-only sets, and so frozen (the invariant "frozen verdicts"). */
export const NOT_ASKED: PlatformVerdict = Object.freeze({
  asked: false,
  ...freezeVerdict({
    effect: "allow",
    policy: NO_MATCH,
    scope: "",
    reasons: [{ kind: "default", reason: "not_asked", rule: "", policy: "" }],
    errors: NONE,
    outputs: NONE,
    derivedRoles: NONE,
  }),
});
