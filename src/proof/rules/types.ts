/** Proved faults of rules, as plain data. */

/** A rule, by its policy and its position there. */
export interface RulePlace {
  /** The policy's key. */
  readonly policy: string;
  readonly order: number;
}

export type RuleFault =
  /**
   * No request satisfies its condition (`never_holds`, `always_errs`); with `always_errs`, no request makes it false
   * either.
   */
  | { readonly kind: "never_holds" | "always_errs" | "never_fails" }
  /** An ALLOW rule: whenever it holds, one of these rules denies. */
  | { readonly kind: "shadowed"; readonly by: readonly RulePlace[] }
  /** Every decision of its layer is the same without it: whenever it holds, one of these has the same effect. */
  | { readonly kind: "redundant"; readonly by: readonly RulePlace[] };

export interface FaultyRule extends RulePlace {
  readonly fault: RuleFault;
}

/**
 * An operation that the permission layer allows to a role, or to some key (`undefined`), but that the platform forbids
 * for every such request.
 */
export interface ForbiddenGrant {
  readonly kind: string;
  readonly operation: string;
  readonly role: string | undefined;
}
