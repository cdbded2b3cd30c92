/** The result of comparing two policy sets, as plain data. */

import type { JsonValue } from "../../cel/json.js";
import type { ConfigurationNotes } from "../../decisions/configuration-notes.js";
import type { Outcome } from "../../decisions/types.js";
import type { Reason } from "../../engine/plan/verdict.js";
import type { SpaceLayer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";
import type { SpokenCondition } from "../who/types.js";

/**
 * - `widening`: refused before, allowed now.
 * - `narrowing`: allowed before, refused now.
 * - `refusal`: refused before and after, with a different error code.
 * - `fault`: refused before and after with the same code, but only one of the two decisions has a fault: a caller gets
 *   500 in place of 403, or the other way round.
 */
export type ChangeClass = "widening" | "narrowing" | "refusal" | "fault";

/** A value that distinguishes the situation from an ordinary one. */
export interface ChangeCircumstance {
  /** Where in the request: `resource.attr.state`. */
  readonly path: string;
  /** Absent: the attribute is not there. */
  readonly value?: JsonValue;
}

export interface ChangeSide {
  readonly outcome: Outcome;
  /** The fault of the decision (`decision.fault`), in words; absent if it has none. */
  readonly fault?: string;
  /** The reasons of the layer that changed. */
  readonly reasons: readonly Reason[];
}

/** A way to a change: every request that meets all its conditions changes in this way. */
export interface ChangeWay {
  readonly when: readonly SpokenCondition[];
  /** A request in this way: `keyward decide` takes it as it is. */
  readonly request: RequestJson;
}

/** A part of a comparison that is about one version of policies. */
interface ComparedVersion {
  /** A version that no layer asks, which was compared by itself. Absent: the layers. */
  readonly version?: string;
}

export interface DecisionChange extends ComparedVersion {
  readonly class: ChangeClass;
  readonly kind: string;
  readonly operation: string;
  /** The roles that show the change. Each entry is one key; roles in one entry are held together. */
  readonly roles: readonly (readonly string[])[];
  readonly from: Outcome;
  readonly to: Outcome;
  /** The layer with the changed verdict. */
  readonly layer: SpaceLayer;
  /** The values of `request` that the example depends on, beyond those that any request of this operation needs. */
  readonly circumstances: readonly ChangeCircumstance[];
  /**
   * `exact`: the requests that change are those that fit one of `ways`; this is proved. `example`: `request` and
   * `circumstances` are an example, other requests may change, too.
   */
  readonly extent: "exact" | "example";
  /** Empty for an example. */
  readonly ways: readonly ChangeWay[];
  /** It is proved that only requests that the newer schemas refuse show a change of this class. */
  readonly malformed: boolean;
  /** Whether the newer schemas allow `request`. If not, and `malformed` is false, they may allow another one. */
  readonly wellFormed: boolean;
  /** The number of examined combinations that show it, in its layer. */
  readonly situations: number;
  readonly before: ChangeSide;
  readonly after: ChangeSide;
  /** A request that shows it: `keyward decide` takes it as it is. */
  readonly request: RequestJson;
}

/** A change of one layer's verdicts that changes no decision. */
export interface SilentChange extends ComparedVersion {
  /** `reasons`: the same effect, with other reasons. `masked`: the other layer refuses in any case. */
  readonly class: "reasons" | "masked";
  readonly kind: string;
  readonly operation: string;
  readonly layer: SpaceLayer;
  readonly roles: readonly (readonly string[])[];
  readonly situations: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A part of the search space that could not be examined. */
export interface DiffGap extends ComparedVersion {
  readonly kind: string;
  readonly operation: string;
  readonly layer: SpaceLayer;
  readonly message: string;
}

/** A class of change on one operation that was neither found nor ruled out by proof. */
export interface UnprovenChange extends ComparedVersion {
  readonly kind: string;
  readonly operation: string;
  readonly class: ChangeClass;
  /** Why it is unproven. */
  readonly message: string;
}

/**
 * - `equal`: every decision is the same; this is proved.
 * - `changes`: some decision changes; each change has a request that shows it.
 * - `unproven`: no change was found, but it is not proved that there is none.
 */
export type DiffResult = "equal" | "changes" | "unproven";

/** The comparison of two sets, all versions of their policies included. */
export interface PolicyDiff extends LayerDiff {
  /** The settings that the result depends on. */
  readonly configuration: ConfigurationNotes;
}

/** The comparison of the layers of two sets. */
export interface LayerDiff {
  readonly result: DiffResult;
  /**
   * Widenings first; changes with a malformed request come last. A class of a question has such a change only if no
   * well-formed request was found.
   */
  readonly changes: readonly DecisionChange[];
  readonly silent: readonly SilentChange[];
  /** Parts that the search could not examine, of questions that are not proved unchanged. */
  readonly gaps: readonly DiffGap[];
  /** The unproven classes of change, operation by operation. */
  readonly unproven: readonly UnprovenChange[];
  readonly examined: {
    /**
     * The number of questions (an operation on a resource kind), and how many of them are proved unchanged. Each
     * question stands for all others that policies do not distinguish from it.
     */
    readonly questions: number;
    readonly unchanged: number;
    readonly combinations: number;
  };
}
