/** Policies and requests of one action on documents, which is all that many tests of evaluation ask about. */

import type { DecisionRequest, PolicySet } from "../../src/index.js";
import { permissions, policy } from "./compose.js";

/** A rule by which users may act. */
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

/** Asked so often, a plan has its generated function. */
export const WARM = 22;
