/** The facts of an operation, as plain data. */

/**
 * The possible verdicts for a principal with one role and no principal policy. `always` and `never` are certain,
 * `always` for well-formed requests. `unless_missing`: certainly allowed, unless a condition errs, as with missing data.
 * `conditional` covers the rest.
 */
export type AllowChance = "always" | "unless_missing" | "conditional" | "never";

export interface OperationRole {
  readonly role: string;
  readonly chance: AllowChance;
  /** `role`: a rule that allows it names the role. `every_role`: only rules for every role allow it. */
  readonly through: "role" | "every_role" | "nothing";
}

/** The facts of an operation in one scope (`""`: the root). */
export interface ScopeFacts {
  readonly scope: string;
  /** Ids of rules, in the order in which policies are consulted, then of the file. */
  readonly permission: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly platform: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  /** The verdict of the permission layer for each role, in the order of the given roles. */
  readonly cells: readonly OperationRole[];
  /** The verdict of the platform layer; it does not depend on the key. */
  readonly supported: AllowChance;
}

export interface OperationFacts {
  readonly kind: string;
  /** An operation's name; a pattern where only patterns mention it. */
  readonly operation: string;
  readonly isPattern: boolean;
  readonly scopes: readonly ScopeFacts[];
  /** Rules of principal policies, which come before all others, and of role policies, which restrict their roles. */
  readonly others: readonly string[];
  /** The number of test cases for it; absent if no tests were given. */
  readonly tests?: number;
  /** The number of these test cases that pass. */
  readonly passing?: number;
}
