/** Who may do something, as plain data: `keyward who --format json` has this. */

import type { RequestJson } from "../../space/draft.js";
import type { LayerName } from "../policies.js";

/** A statement that must hold for a request. */
export interface SpokenCondition {
  /** In words; names and code stand between backticks. */
  readonly text: string;
  /** For a part of a condition: its source, and the layer that evaluates it. */
  readonly source?: string;
  readonly layer?: LayerName;
}

/** A way in which an operation is allowed: every request that satisfies all its statements is allowed. */
export interface AllowedWay {
  /** The statements that must hold. Without any one of them the way would not suffice, as far as is proved. */
  readonly when: readonly SpokenCondition[];
  /** The statements that may be true or false but must not err: an error denies. */
  readonly told: readonly SpokenCondition[];
  /** An allowed request in this way: `keyward decide` accepts it unchanged. */
  readonly request: RequestJson;
}

export interface UnshownAllowedWay extends Pick<AllowedWay, "when" | "told"> {
  /** Why no request shows it. */
  readonly why: string;
}

/** The ways in which one operation on one kind of resource is allowed. */
export interface OperationWays {
  readonly operation: string;
  readonly kind: string;
  /** A version of policies that no layer asks. Absent: the layers. */
  readonly version?: string;
  /** Settings that neither `keyward.yaml` nor an option gives, under which the result holds. */
  readonly assumed: readonly string[];
  /** Were ways looked for? If not, `ways` is empty. */
  readonly searched: boolean;
  /** `proved`: the list is complete. If it is empty, nobody may. */
  readonly result: "proved" | "unproven";
  readonly ways: readonly AllowedWay[];
  /** Ways that would suffice, but may contain no request: the solver does not know. */
  readonly unshown: readonly UnshownAllowedWay[];
  /** Why the list may be incomplete. */
  readonly why?: string;
}

/** Why a question has no answer. */
export interface UnknownPart {
  readonly kind: "unknown";
  readonly message: string;
  readonly hint?: string;
}

/** The answer; or why there is none. */
export type WhoMay = { readonly kind: "answered"; readonly operations: readonly OperationWays[] } | UnknownPart;
