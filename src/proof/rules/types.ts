/** What is proved to be wrong with rules, as plain data. */

/** A rule: which one of which policy. */
export interface RulePlace {
  /** The policy's key. */
  readonly policy: string;
  readonly order: number;
}

export type RuleFault =
  /** No request satisfies its condition; in `always_errs`, none makes it false either. */
  | { readonly kind: "never_holds" | "always_errs" | "never_fails" }
  /** An ALLOW rule: whenever it holds, one of these denies. */
  | { readonly kind: "shadowed"; readonly by: readonly RulePlace[] }
  /** Without it every decision of its layer is the same: whenever it holds, one of these says the same. */
  | { readonly kind: "redundant"; readonly by: readonly RulePlace[] };

export interface FaultyRule extends RulePlace {
  readonly fault: RuleFault;
}

/** An operation that one role, or some (`undefined`), may do, and that the platform then forbids, whatever the request. */
export interface ForbiddenGrant {
  readonly kind: string;
  readonly operation: string;
  readonly role: string | undefined;
}
