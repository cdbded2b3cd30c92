/** Claims about all decisions: each has a sentence for people to sign and a form that can be proved. */

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
  /**
   * A second operation, for a claim that no request is allowed both. `operations` then has the first one alone, and
   * `never` is `allow`.
   */
  readonly together?: ClaimedName | undefined;
  /** Two roles, for a claim that one may all that the other may. `never` is then `insufficient_permissions`. */
  readonly roles?: RoleHierarchy | undefined;
  /** The resource kinds that it is about; undefined: all that policies name. */
  readonly kinds: readonly ClaimedName[] | undefined;
  /** Assumptions about the requests, all of which hold: CEL over `key`, `resource`, `account` and `now()`. */
  readonly assume: readonly Expression[];
  /** The outcomes that break the claim: those of `never`, or all but those of `always`. */
  readonly never: readonly Outcome[];
  readonly at: SourcePosition;
}

/** A key with `role` alone may all that the same key with `includes` alone may. */
export interface RoleHierarchy {
  readonly role: ClaimedName;
  readonly includes: ClaimedName;
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
  readonly outcome?: Outcome;
}
