/** The actions of role policies that are patterns at level 0.55, and names since Cerbos 0.57. */

import { looksLikeGlob } from "./glob.js";
import type { SourcePosition } from "./issue.js";
import type { RolePolicyRule } from "./model.js";

export interface NameLikePattern {
  readonly at: SourcePosition;
  /** The change, for people. */
  readonly what: string;
}

/** The actions of a rule that look like patterns. `*` matches every action at each level. */
export function namesLikePatterns({
  at,
  allowActions,
  actionPositions,
}: Pick<RolePolicyRule, "at" | "allowActions" | "actionPositions">): readonly NameLikePattern[] {
  return allowActions.flatMap((action, i) =>
    looksLikeGlob(action) && action !== "*"
      ? [
          {
            at: actionPositions?.[i] ?? at,
            what: `"${action}" is a name in a role policy, and no pattern, since Cerbos 0.57`,
          },
        ]
      : [],
  );
}
