/** The question and the answer: the types of a decision. */

import type { Principal, Resource } from "@cerbos/core";
import type { LayerVerdict, WiringFault } from "../engine/plan/verdict.js";

/** The three answers (docs/contract.md §7.2). */
export type Outcome = "allow" | "insufficient_permissions" | "forbidden";

/** The account that owns the resource; the platform layer's principal. */
export interface Account {
  readonly id: string;
  readonly attr?: Principal["attr"];
  /** The scope of its principal policies. Default: the root. */
  readonly scope?: string;
}

/** May `key` perform `operation` on `resource`, which belongs to `account`? */
export interface DecisionRequest {
  readonly key: Principal;
  /** The operation's name: `keys.createKey`. */
  readonly operation: string;
  readonly resource: Resource;
  readonly account: Account;
  /** The decision's clock. Policies that read the time are evaluation errors (and so deny) without it. */
  readonly now?: Date;
}

/** What a permission-only set is asked: of it, nothing reads an account. */
export type PermissionRequest = Omit<DecisionRequest, "account"> & Partial<Pick<DecisionRequest, "account">>;

/** What the platform layer says; or, of a permission-only set, that there was none to ask. */
export interface PlatformVerdict extends LayerVerdict {
  /**
   * `false`: the policy set is permission-only (`platform: "none"`), so nothing is forbidden; the effect is `allow`, and
   * the one reason `not_asked`. Absent where a platform layer was asked.
   */
  readonly asked?: false;
}

/**
 * - `allow`: both layers allow.
 * - `insufficient_permissions`: the platform layer allows, the permission layer denies. Another key can help.
 * - `forbidden`: the platform layer denies, whatever the key. No permission-only set says it.
 *
 * Both layers' verdicts are always there. None of it is for the caller of an API: see `errorBody`.
 */
export interface Decision {
  readonly outcome: Outcome;
  readonly permission: LayerVerdict;
  readonly platform: PlatformVerdict;
  /**
   * What has to be mended before the question can be answered: never there with `allow`, and absent from a refusal that
   * is one. A service answers 500 (`guard` does), since what is wrong is its own.
   */
  readonly fault?: WiringFault;
}
