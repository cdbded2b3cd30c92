/** What one layer says of one request. */

import type { JsonValue } from "../../cel/json.js";

export type LayerEffect = "allow" | "deny";

/**
 * Why a layer decided as it did.
 *
 * - `rule`: the rule matched and decided. An allowing verdict lists the rules that allow, a denying one the DENY
 *   rules that hold.
 * - `default`: nothing matched, and what nothing allows is denied.
 * - `error`: a condition that was reached failed, which denies; the verdict's `errors` say how.
 */
export interface Reason<R extends string = string> {
  readonly kind: "rule" | "default" | "error";
  /**
   * The reason in a word: the rule's constant `ruleActivated` output if that is a string, otherwise the rule's name.
   * Several rules can have one reason. By default it is `not_granted` in the permission layer and `not_available` in
   * the platform layer (docs/contract.md §7.4.5: the operation is not supported); `invalid_request` for what is not a
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
  /** The rule whose condition failed; `""` if the request itself is at fault. */
  readonly rule: string;
  /** The expression's source text; `""` if the request itself is at fault. */
  readonly expression: string;
  readonly message: string;
  /** Where in the policy files, as `file:line:column`; `""` if the request itself is at fault. */
  readonly position: string;
}

/** What an `output` expression of a rule produced. */
export interface Output {
  /** `<policy>#<rule>`. */
  readonly src: string;
  readonly action: string;
  readonly val: JsonValue;
}

/** Of what the caller of the engine asks, and of what the data or the policies lack. */
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
 * Why a refusal says nothing of the key, the resource or the account: the question was not one that the policies can
 * answer, so what asks it has to be mended. `docs/verdicts.md` says of each when it is one.
 *
 * - `invalid_policies`: what was passed as policies is none.
 * - `invalid_request`: a part of the request is missing, of another shape than it must have, or cannot be read.
 * - `unknown_kind`, `unknown_operation`: no policy knows it.
 * - `evaluation`: an expression that decided could not be evaluated: an attribute is not there, no JSON, or of another
 *   type than the rule needs; or the time was not given.
 * - `invalid_attributes`: the policies' JSON Schemas are enforced, and the attributes do not satisfy them.
 */
export interface WiringFault {
  readonly kind: FaultKind;
  /** The part of the request (`key.roles`), or the expression's `file:line:column`; `""` where it is neither. */
  readonly path: string;
  /** For operators, never for the caller of an API: it can have names and values of the request in it. */
  readonly message: string;
}

/** `R`: the words that can stand in its reasons. */
export interface LayerVerdict<R extends string = string> {
  readonly effect: LayerEffect;
  /** The policy that was consulted (`resource.api.vdefault`), or `NO_MATCH` where there is none for the kind. */
  readonly policy: string;
  /** The scope that decided; `""` is the root. */
  readonly scope: string;
  /** In the order of the rules in the policy. Never empty. */
  readonly reasons: readonly Reason<R>[];
  readonly errors: readonly EvaluationError[];
  readonly outputs: readonly Output[];
  /** The derived roles that were active, of those that rules for this operation list. */
  readonly derivedRoles: readonly string[];
  /** Absent where there is none. With one the effect is `deny`. */
  readonly fault?: WiringFault;
}
