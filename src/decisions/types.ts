/** The question and the answer: the types of a decision. */

import type { LayerVerdict, WiringFault } from "../engine/plan/verdict.js";
import type { AccountOf, By, KeyOf, KindOf, OperationOf, PolicyTypes, ReasonOf, ResourceOf } from "./policy-types.js";

/** The three answers (docs/contract.md §7.2). */
export type Outcome = "allow" | "insufficient_permissions" | "forbidden";

/** All of them. */
export const OUTCOMES = ["allow", "insufficient_permissions", "forbidden"] as const satisfies readonly Outcome[];

/** The account that owns the resource; the platform layer's principal. */
export type Account = AccountOf<PolicyTypes>;

/**
 * May `key` perform `operation` on `resource`, which belongs to `account`? By the names of a policy set: one of its kinds,
 * and an operation on that.
 */
export type DecisionRequest<T extends PolicyTypes = PolicyTypes> = By<T> &
  { readonly [K in KindOf<T>]: RequestPart<T, K> & { readonly resource: ResourceOf<T, K> } }[KindOf<T>];

/** A request but for its resource, which is of a kind `K`. */
export type RequestPart<T extends PolicyTypes, K extends KindOf<T>> = {
  readonly key: KeyOf<T, K>;
  /** The operation's name: `keys.createKey`. */
  readonly operation: OperationOf<T, K>;
  /** The decision's clock. Policies that read the time are evaluation errors (and so deny) without it. */
  readonly now?: Date | undefined;
} & (T extends { readonly platform: "none" }
  ? { readonly account?: AccountOf<T, K> | undefined }
  : { readonly account: AccountOf<T, K> });

/** What a permission-only set is asked: of it, nothing reads an account. */
export type PermissionRequest = DecisionRequest<PolicyTypes & { readonly platform: "none" }>;

/** What the platform layer says; or, of a permission-only set, that there was none to ask. */
export interface PlatformVerdict<R extends string = string> extends LayerVerdict<R> {
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
export type Decision<T extends PolicyTypes = PolicyTypes> = DecisionFor<
  ReasonOf<T, "permission">,
  ReasonOf<T, "platform">
>;

/** A {@link Decision} by the words that can stand in the reasons of its layers. */
export interface DecisionFor<Permission extends string, Platform extends string> {
  readonly outcome: Outcome;
  readonly permission: LayerVerdict<Permission>;
  readonly platform: PlatformVerdict<Platform>;
  /**
   * What has to be mended before the question can be answered: never there with `allow`, and absent from a refusal that
   * is one. A service answers 500 (`guard` does), since what is wrong is its own.
   */
  readonly fault?: WiringFault;
}
