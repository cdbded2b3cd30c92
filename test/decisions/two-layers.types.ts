/**
 * The invariant "two layers apart" as types. `npm run typecheck` compiles this file, and nothing runs it. It fails to
 * compile when a signature of `two-layers.ts` gains a parameter, or accepts a part of the request that it must not
 * have.
 */

import type { Timestamp } from "../../src/cel/values.js";
import { permission, platform } from "../../src/decisions/two-layers.js";
import type { DecisionRequest, PermissionRequest } from "../../src/decisions/types.js";
import type { CompiledPlan, LayerJudgement } from "../../src/engine/evaluate/compiled-plan.js";
import type { PlanPair } from "../../src/engine/evaluate/plan-pair.js";
import type { AccountFrame, KeyFrame, PrincipalFrame, ResourceFrame } from "../../src/engine/frame/frame.js";

/** Whether two types are identical. Overloads, optional parameters and `any` make them differ. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Whether a value of `T` can be passed for `P`, or stored in a field of `P`. */
type Holds<P, T> = [T] extends [P]
  ? true
  : true extends { [name in keyof P]: HoldsItself<P[name], T> }[keyof P]
    ? true
    : false;
type HoldsItself<P, T> = [T] extends [P] ? true : false;

/** The indexes of the parameters of `F` that can hold a `T`; `never` if there are none. */
type Holding<F extends (...parts: never[]) => unknown, T> = {
  [place in Exclude<keyof Parameters<F>, keyof (readonly unknown[])>]: Holds<Parameters<F>[place], T> extends true
    ? place
    : never;
}[Exclude<keyof Parameters<F>, keyof (readonly unknown[])>];

/** Compiles only for `true`. */
type Assert<T extends true> = T;

type Permission = typeof permission;
type Platform = typeof platform;

/** The exact signatures: a further parameter of either makes them differ. */
export type Signatures = [
  Assert<
    Same<
      Permission,
      (
        plan: CompiledPlan,
        key: KeyFrame,
        resource: ResourceFrame,
        reading: PlanPair,
        now: Timestamp | undefined,
      ) => LayerJudgement
    >
  >,
  Assert<
    Same<
      Platform,
      (
        plan: CompiledPlan,
        account: AccountFrame,
        resource: ResourceFrame,
        reading: PlanPair,
        now: Timestamp | undefined,
      ) => LayerJudgement
    >
  >,
  Assert<Same<Parameters<Permission>["length"], 5>>,
  Assert<Same<Parameters<Platform>["length"], 5>>,
];

/**
 * Only one parameter of `permission` accepts the key, and no parameter of `platform` does; for the account it is the
 * reverse.
 */
export type Parts = [
  Assert<Same<Holding<Permission, KeyFrame>, "1">>,
  Assert<Same<Holding<Platform, AccountFrame>, "1">>,
  Assert<Same<Holding<Permission, AccountFrame>, never>>,
  Assert<Same<Holding<Platform, KeyFrame>, never>>,
  // No parameter accepts a frame that may be of either part.
  Assert<Same<Holding<Permission | Platform, PrincipalFrame>, never>>,
];

/** No parameter accepts a request, or a key or account as callers write them. */
export type Requests = [
  Assert<Same<Holding<Permission | Platform, DecisionRequest>, never>>,
  Assert<Same<Holding<Permission | Platform, PermissionRequest>, never>>,
  Assert<Same<Holding<Permission | Platform, DecisionRequest["key"]>, never>>,
  Assert<Same<Holding<Permission | Platform, DecisionRequest["account"]>, never>>,
];

/** The checks above do find a part: by itself, as `unknown`, in a union, and in a field. */
export type Found = [
  Assert<Same<Holding<(plan: CompiledPlan, key: KeyFrame) => void, KeyFrame>, "1">>,
  Assert<Same<Holding<(rest: unknown) => void, KeyFrame>, "0">>,
  Assert<Same<Holding<(plan: CompiledPlan, principal?: AccountFrame | KeyFrame) => void, KeyFrame>, "1">>,
  Assert<Same<Holding<(context: { readonly caller: KeyFrame }) => void, KeyFrame>, "0">>,
  Assert<Same<Holding<(parts: readonly KeyFrame[]) => void, KeyFrame>, "0">>,
];

/** Calls that must not compile. */
export function misuse(
  plan: CompiledPlan,
  key: KeyFrame,
  account: AccountFrame,
  resource: ResourceFrame,
  reading: PlanPair,
): readonly LayerJudgement[] {
  return [
    // @ts-expect-error -- the platform layer is not given the key
    platform(plan, key, resource, reading, undefined),
    // @ts-expect-error -- the permission layer is not given the account
    permission(plan, account, resource, reading, undefined),
    // @ts-expect-error -- nor is the key passed as the resource
    platform(plan, account, key, reading, undefined),
    // @ts-expect-error -- there is no further parameter
    platform(plan, account, resource, reading, undefined, key),
    // @ts-expect-error -- there is no further parameter
    permission(plan, key, resource, reading, undefined, account),
  ];
}
