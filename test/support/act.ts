/** Policies and requests about one action on documents, which suffice for many tests of evaluation. */

import type { DecisionRequest, PolicySet } from "../../src/index.js";
import { permissions, policy } from "./compose.js";

/** A rule that allows users the action `act`. */
export function allowAct(name: string, more: string): string {
  return `name: ${name}, actions: [act], roles: [user], effect: EFFECT_ALLOW, ${more}`;
}

export function actPolicies(rules: readonly string[], codegen: boolean, body = ""): PolicySet {
  return permissions({ "a.yaml": policy({ rules, body }) }, { codegen });
}

export function actRequest(attr: object, key: object = {}): DecisionRequest {
  return {
    key: { id: "k", roles: ["user"], attr: key as NonNullable<DecisionRequest["key"]["attr"]> },
    operation: "act",
    resource: { kind: "doc", id: "d", attr: attr as NonNullable<DecisionRequest["resource"]["attr"]> },
    account: { id: "a", attr: {} },
  };
}

/** After this many requests, a plan has its generated function. */
export const WARM = 22;
