/** What a comparison of two policy sets finds, as plain data. */

import type { JsonValue } from "../../cel/json.js";
import type { Outcome } from "../../decisions/types.js";
import type { Reason } from "../../engine/plan/verdict.js";
import type { Layer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";

/**
 * - `widening`: what was refused is now allowed.
 * - `narrowing`: what was allowed is now refused.
 * - `refusal`: refused before and after, with the other error.
 */
export type ChangeClass = "widening" | "narrowing" | "refusal";

/** A value that tells the situation from an ordinary one. */
export interface Circumstance {
  /** Where in the request: `resource.attr.state`. */
  readonly path: string;
  /** Absent: the attribute is not there. */
  readonly value?: JsonValue;
}

export interface Side {
  readonly outcome: Outcome;
  /** Of the layer that changed. */
  readonly reasons: readonly Reason[];
}

export interface Change {
  readonly class: ChangeClass;
  readonly kind: string;
  readonly operation: string;
  /** The roles of the key that the change is seen with, each by itself; several in one entry are had together. */
  readonly roles: readonly (readonly string[])[];
  readonly from: Outcome;
  readonly to: Outcome;
  /** The layer whose verdict changed. */
  readonly layer: Layer;
  /** What must be so for the change to show, besides what any request of this operation needs. */
  readonly circumstances: readonly Circumstance[];
  /** Seen only with values that the schemas refuse, or of other types. */
  readonly malformed: boolean;
  /** How many of the combinations that were examined show it, in its layer. */
  readonly situations: number;
  readonly before: Side;
  readonly after: Side;
  /** A request that shows it: `keyward decide` takes it as it is. */
  readonly request: RequestJson;
}

/** Verdicts of a layer that changed without any decision changing. */
export interface SilentChange {
  /** `reasons`: the same effect, with other reasons. `masked`: the other layer refuses in any case. */
  readonly class: "reasons" | "masked";
  readonly kind: string;
  readonly operation: string;
  readonly layer: Layer;
  readonly roles: readonly (readonly string[])[];
  readonly situations: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Where not everything could be looked at. */
export interface Gap {
  readonly kind: string;
  readonly operation: string;
  readonly layer: Layer;
  readonly message: string;
}

/** What is neither shown nor proved not to be: that decisions on an operation change in one way. */
export interface Unproven {
  readonly kind: string;
  readonly operation: string;
  readonly class: ChangeClass;
  /** Why it is not proved. */
  readonly message: string;
}

/**
 * - `equal`: every decision is the same, and that is proved.
 * - `changes`: some decision changes; each change has a request that shows it.
 * - `unproven`: no change was found, and it is not proved that there is none.
 */
export type DiffResult = "equal" | "changes" | "unproven";

export interface PolicyDiff {
  readonly result: DiffResult;
  /** Widenings first; what only malformed data show comes after all else. */
  readonly changes: readonly Change[];
  readonly silent: readonly SilentChange[];
  /** Where the search could not look at everything. A proof needs no search. */
  readonly gaps: readonly Gap[];
  /** What was not proved, operation by operation. */
  readonly unproven: readonly Unproven[];
  readonly examined: {
    /**
     * Questions (an operation on a kind of resource), and of how many it is proved that all decisions are the same. Each
     * stands for all that the policies do not tell from it.
     */
    readonly questions: number;
    readonly unchanged: number;
    readonly combinations: number;
  };
}
