/** Claims about all decisions: each has a sentence for people to sign and a form that can be proved. */

import type { JsonValue } from "../../cel/json.js";
import type { Outcome } from "../../decisions/types.js";
import type { SourcePosition } from "../../policy/issue.js";
import type { Expression } from "../../policy/model.js";
import type { SpaceLayer } from "../../space/dimension.js";
import type { RequestJson } from "../../space/draft.js";

export interface Claim {
  /** The sentence. */
  readonly claim: string;
  /** The operations that it is about; undefined: all that policies name. */
  readonly operations: readonly ClaimedName[] | undefined;
  /** The resource kinds that it is about; undefined: all that policies name. */
  readonly kinds: readonly ClaimedName[] | undefined;
  readonly assume: ClaimAssumptions;
  readonly form: ClaimForm;
  readonly at: SourcePosition;
}

/** The requests that a claim is about. A request satisfies all assumptions. */
export interface ClaimAssumptions {
  /** CEL over `key`, `resource`, `account` and `now()`. */
  readonly expressions: readonly Expression[];
  /** True if the requests are valid: the schemas allow them, and the policies have their scopes. */
  readonly isValid: boolean;
}

/** The statement of a claim. */
export type ClaimForm =
  | OutcomeClaim
  | ReasonClaim
  | TogetherClaim
  | SubsetClaim
  /** No policy knows the operations of the claim. */
  | { readonly kind: "absent" };

/** No request has one of these outcomes: those of `never`, or all but those of `always`. */
export interface OutcomeClaim {
  readonly kind: "outcomes";
  readonly never: readonly Outcome[];
}

/** A refusal gives all reasons of `all`, and no reason outside `only`. Refusals with a fault are not meant. */
export interface ReasonClaim {
  readonly kind: "reasons";
  readonly all: readonly ClaimedName[];
  /** Undefined: any. */
  readonly only: readonly ClaimedName[] | undefined;
}

/**
 * No key is allowed both the first operation of the claim and `other`: on one resource in one request; or, if `isApart`,
 * in two requests about resources and accounts of their own, at times of their own.
 */
export interface TogetherClaim {
  readonly kind: "together";
  readonly other: ClaimedName;
  readonly isApart: boolean;
}

/** A key that is like `lesser` may do no more than the same key that is like `greater`. */
export interface SubsetClaim {
  readonly kind: "subset";
  readonly lesser: ClaimedKey;
  readonly greater: ClaimedKey;
}

/** Parts of a key. All other parts are as in the request in question. */
export interface ClaimedKey {
  /** All roles of the key; undefined: any roles. */
  readonly roles: readonly ClaimedName[] | undefined;
  /** Attributes with their values. */
  readonly attr: readonly (ClaimedName & { readonly value: JsonValue })[];
}

export interface ClaimedName {
  readonly name: string;
  readonly at: SourcePosition;
}

export type ClaimResult = "proved" | "broken" | "unproven";

/** The result of a claim or a law. */
export interface Proved {
  readonly claim: string;
  /** `file:line:column`; `""` for a law, which comes with every set. */
  readonly position: string;
  /** A version of policies that no layer asks. Absent: the layers. */
  readonly version?: string;
  /** Settings that neither `keyward.yaml` nor an option gives, under which the result holds. Absent: none. */
  readonly assumes?: readonly string[];
  readonly result: ClaimResult;
  /** How it was proved, with all exceptions, or why it is unproven. */
  readonly why: string;
  /** If it is proved: the requests that the proof leaves out, in words. Absent: none. */
  readonly except?: readonly string[];
  /** The number of questions (operations on resource kinds) that were examined. */
  readonly questions: number;
  /** If it is broken: the smallest request found that breaks it, and its outcome. */
  readonly request?: RequestJson;
  /**
   * If a law or claim about two requests is broken: the second request, to which `outcome` belongs. The first one of a
   * claim is allowed.
   */
  readonly changed?: RequestJson;
  /** If a law about two requests is broken: the layer that denies the first request and allows the second. */
  readonly layer?: SpaceLayer;
  /** Whether the schemas refuse `request`; it is proved that no well-formed request breaks the claim or the law. */
  readonly malformed?: true;
  /**
   * Whether the law holds unless two values without a declared type are `null` (attributes, or members of their lists);
   * that is proved.
   */
  readonly nulls?: true;
  readonly outcome?: Outcome;
  /** If a claim about reasons is broken: the reasons that the refusal gives. */
  readonly reasons?: readonly string[];
}
