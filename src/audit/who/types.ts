/** Who may do something, as plain data: `keyward who --format json` has this. */

import type { RequestJson } from "../../space/draft.js";
import type { LayerName } from "../policies.js";

/** Something that must be so of a request. */
export interface Said {
  /** In words; names and code stand between backticks. */
  readonly text: string;
  /** Of a part of a condition: the part as it is written, and the layer that evaluates it. */
  readonly source?: string;
  readonly layer?: LayerName;
}

/** A way in which an operation is allowed: a request of which all of it is so is allowed. */
export interface AllowedWay {
  /** What must be so. Without any one of these it would not suffice, as far as is proved. */
  readonly when: readonly Said[];
  /** What it must be possible to tell, whichever it is: an error denies. */
  readonly told: readonly Said[];
  /** A request that is allowed in this way: `keyward decide` takes it as it is. */
  readonly request: RequestJson;
}

export interface UnshownWay extends Pick<AllowedWay, "when" | "told"> {
  /** Why no request shows it. */
  readonly why: string;
}

/** The ways in which one operation on one kind of resource is allowed. */
export interface OperationWays {
  readonly operation: string;
  readonly kind: string;
  /** Whether ways were looked for: of what was not looked for, none were found. */
  readonly searched: boolean;
  /** `proved`: these are all. None: nobody may. */
  readonly result: "proved" | "unproven";
  readonly ways: readonly AllowedWay[];
  /** Ways that would suffice, and of which it is not known whether any request is in them. */
  readonly unshown: readonly UnshownWay[];
  /** Why it is not proved that there are no others. */
  readonly why?: string;
}

/** Who may do something; or what is wrong with the question. */
export type WhoMay =
  | { readonly kind: "answered"; readonly operations: readonly OperationWays[] }
  | { readonly kind: "unknown"; readonly message: string; readonly hint?: string };
