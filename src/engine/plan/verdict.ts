/** The verdict of one layer on one request. */

import type { JsonValue } from "../../cel/json.js";

export type LayerEffect = "allow" | "deny";

/**
 * Why a layer decided as it did.
 *
 * - `rule`: the rule matched and decided. An allowing verdict lists the rules that allow, a denying one the DENY
 *   rules that hold.
 * - `default`: no rule decided, which denies.
 * - `error`: a condition that was reached erred, which denies; the verdict's `errors` say how.
 */
export interface Reason<R extends string = string> {
  readonly kind: "rule" | "default" | "error";
  /**
   * The reason in a word: the rule's constant `ruleActivated` output if that is a string, otherwise the rule's name.
   * A rule without a name has a reason that is made of its words.
   * Several rules can have one reason. By default it is `not_granted` in the permission layer and `not_available` in
   * the platform layer (docs/contract.md §7.4.5: the operation is not supported); `invalid_request` for a malformed
   * request.
   */
  readonly reason: R;
  /** The rule's name; `""` where no rule decided. */
  readonly rule: string;
  /** The policy that the rule stands in (`resource.api.vplatform`); `""` where there is none. */
  readonly policy: string;
}

/** A condition, variable or output that failed, or a request that cannot be evaluated. */
export interface EvaluationError {
  /** The policy's name; `""` if the request itself is at fault. */
  readonly policy: string;
  /** The rule with the condition that failed; `""` if the request itself is at fault. */
  readonly rule: string;
  /** The expression's source text; `""` if the request itself is at fault. */
  readonly expression: string;
  readonly message: string;
  /** Where in the policy files, as `file:line:column`; `""` if the request itself is at fault. */
  readonly position: string;
}

/** The value of an `output` expression of a rule. */
export interface PolicyOutput {
  /** `<policy>#<rule>`. */
  readonly src: string;
  readonly action: string;
  readonly val: JsonValue;
}

/** The causes of faults: in the question, in the data or in the policies. */
export const FAULT_KINDS = [
  "invalid_policies",
  "invalid_request",
  "unknown_kind",
  "unknown_operation",
  "evaluation",
  "invalid_attributes",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * A fault: the refusal says nothing of the key, the resource or the account, because the policies cannot answer the
 * question. The program that asks has to be corrected. `docs/verdicts.md` defines when each kind is reported.
 *
 * - `invalid_policies`: the argument passed as policies is not a policy set.
 * - `invalid_request`: a part of the request is missing, malformed, or cannot be read.
 * - `unknown_kind`, `unknown_operation`: no policy knows it.
 * - `evaluation`: an expression that decided could not be evaluated: an attribute is absent, is not JSON, or is of
 *   another type than the rule needs; or the time was not given.
 * - `invalid_attributes`: the policies' JSON Schemas are enforced, and the attributes do not satisfy them.
 */
export interface WiringFault {
  readonly kind: FaultKind;
  /** The part of the request (`key.roles`), or the expression's `file:line:column`; otherwise `""`. */
  readonly path: string;
  /** For operators, never for the caller of an API: it can contain names and values of the request. */
  readonly message: string;
}

/** `R`: the reasons that the verdict can have. */
export interface LayerVerdict<R extends string = string> {
  readonly effect: LayerEffect;
  /** The policy that was consulted (`resource.api.vdefault`), or `NO_MATCH` if there is none for the kind. */
  readonly policy: string;
  /** The scope that decided; `""` is the root. */
  readonly scope: string;
  /** In the order of the rules in the policy. Never empty. */
  readonly reasons: readonly Reason<R>[];
  readonly errors: readonly EvaluationError[];
  readonly outputs: readonly PolicyOutput[];
  /** The active derived roles, among those that rules for this operation list. */
  readonly derivedRoles: readonly string[];
  /** Absent without a fault. With a fault the effect is `deny`. */
  readonly fault?: WiringFault;
}
