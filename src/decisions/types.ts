/** The question and the answer: the types of a decision. */

import type { LayerVerdict, WiringFault } from "../engine/plan/verdict.js";
import type { AccountOf, By, KeyOf, KindOf, OperationOf, PolicyTypes, ReasonOf, ResourceOf } from "./policy-types.js";

/** The three outcomes (docs/contract.md §7.2). */
export type Outcome = "allow" | "insufficient_permissions" | "forbidden";

export const OUTCOMES = ["allow", "insufficient_permissions", "forbidden"] as const satisfies readonly Outcome[];

/** The account that owns the resource; the platform layer's principal. */
export type Account = AccountOf<PolicyTypes>;

/**
 * May `key` perform `operation` on `resource`, which belongs to `account`? The names are those of a policy set: one of
 * its kinds, and an operation on that kind.
 */
export type DecisionRequest<T extends PolicyTypes = PolicyTypes> = By<T> &
  { readonly [K in KindOf<T>]: RequestPart<T, K> & { readonly resource: ResourceOf<T, K> } }[KindOf<T>];

/** A request without its resource, which is of a kind `K`. */
export type RequestPart<T extends PolicyTypes, K extends KindOf<T>> = {
  readonly key: KeyOf<T, K>;
  /** The operation's name: `keys.createKey`. */
  readonly operation: OperationOf<T, K>;
  /** The decision's clock. Policies that read the time are evaluation errors (and so deny) without it. */
  readonly now?: Date | undefined;
} & (T extends { readonly platform: "none" }
  ? { readonly account?: AccountOf<T, K> | undefined }
  : { readonly account: AccountOf<T, K> });

/** A request to a permission-only set, which reads no account. */
export type PermissionRequest = DecisionRequest<PolicyTypes & { readonly platform: "none" }>;

/** The verdict of the platform layer. For a permission-only set it says that there was no such layer to ask. */
export interface PlatformVerdict<R extends string = string> extends LayerVerdict<R> {
  /**
   * `false`: the policy set is permission-only (`platform: "none"`), so nothing is forbidden; the effect is `allow`,
   * and the only reason is `not_asked`. Absent if a platform layer was asked.
   */
  readonly asked?: false;
}

/**
 * - `allow`: both layers allow.
 * - `insufficient_permissions`: the platform layer allows, the permission layer denies. Another key can help.
 * - `forbidden`: the platform layer denies, for any key. A permission-only set never says it.
 *
 * Both layers' verdicts are always present. Nothing of a decision is for the caller of an API: see `errorBody`.
 */
export type Decision<T extends PolicyTypes = PolicyTypes> = DecisionFor<
  ReasonOf<T, "permission">,
  ReasonOf<T, "platform">
>;

/** A {@link Decision} by the reasons that its layers can have. */
export interface DecisionFor<Permission extends string, Platform extends string> {
  readonly outcome: Outcome;
  readonly permission: LayerVerdict<Permission>;
  readonly platform: PlatformVerdict<Platform>;
  /**
   * The fault to correct before the question can be answered. Absent with `allow`, and with a refusal of a sound
   * question. A service answers 500 (as `guard` does), since the mistake is its own.
   */
  readonly fault?: WiringFault;
}
