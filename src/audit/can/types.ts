/** What a role can do, as plain data: `keyward can --format json` has this. */

import type { OperationWays, UnknownPart } from "../who/types.js";

/** What a caller can do with one operation on one kind of resource. */
export interface OperationPower extends OperationWays {
  /** `never` is proved. `unknown`: no way was found, and it is not proved that there is none. */
  readonly can: "always" | "conditionally" | "never" | "unknown";
  /**
   * `permissions`: a caller with an empty list of `permissions` can never do it. `roles`: such a caller can. Absent: the
   * policies read no permissions, the caller can do nothing, or it is not known.
   */
  readonly by?: "permissions" | "roles";
}

/** The answer; or why there is none. */
export type WhatCan =
  | {
      readonly kind: "answered";
      /** The policies have no scopes, so the answer is about requests without scopes. */
      readonly isUnscoped: boolean;
      readonly operations: readonly OperationPower[];
    }
  | UnknownPart;
