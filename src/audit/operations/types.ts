/** What is known of an operation, as plain data. */

/**
 * What may become of an operation for a principal with one role and no policy of its own. `always` and `never` are
 * certain, the first for well-formed requests; `conditional` is whatever is neither.
 */
export type Chance = "always" | "conditional" | "never";

export interface Cell {
  readonly role: string;
  readonly chance: Chance;
  /** What allows it names the role, or only rules for every role do. */
  readonly through: "role" | "every_role" | "nothing";
}

/** What holds for an operation in one scope (`""`: the root). */
export interface ScopeFacts {
  readonly scope: string;
  /** Ids of rules, in the order in which policies are consulted, then of the file. */
  readonly permission: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly platform: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  /** What the permission layer says, by role: in the order of the roles that were asked about. */
  readonly cells: readonly Cell[];
  /** What the platform says, whatever the key. */
  readonly supported: Chance;
}

export interface OperationFacts {
  readonly kind: string;
  /** An operation's name; a pattern where only patterns mention it. */
  readonly operation: string;
  readonly isPattern: boolean;
  readonly scopes: readonly ScopeFacts[];
  /** Rules of principal policies, which come before all others, and of role policies, which restrict their roles. */
  readonly others: readonly string[];
  /** How many test cases ask for it; absent if the tests were not given. */
  readonly tests?: number;
}
