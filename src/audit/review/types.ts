/** What a review says of a policy set, as plain data: `keyward review --format json` is this. */

import type { Effect } from "../../policy/model.js";
import type { Words } from "../words/phrase.js";

export type LayerName = "permission" | "platform";

/** A place in a file, by lines that count from 1. `to` is the last line of what starts at `line`. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly to: number;
}

export interface ConditionFacts {
  /** What must be so, in plain words. */
  readonly words: Words;
  /** The same in one line; names and code stand between backticks. */
  readonly text: string;
  /** The variables and constants that it reads: names of {@link NameFacts} in the same policy. */
  readonly names: readonly string[];
}

/** A rule of a policy, or what a role policy says of one resource kind. */
export interface RuleFacts {
  /** `resource.api.vplatform#system_resource`; unique in a review. */
  readonly id: string;
  readonly layer: LayerName;
  /** The policy's name, with version and scope. */
  readonly policy: string;
  /** Whom the policy is for: whoever acts on a resource kind, one principal, one role. */
  readonly policyKind: "resource" | "principal" | "role";
  /** The resource kind; in principal and role policies it may be a pattern. */
  readonly kind: string;
  /** The principal or role of a policy that is for one. */
  readonly subject?: string;
  readonly scope: string;
  readonly name: string;
  /** The word that it gives as its reason. */
  readonly reason: string;
  /** `restrict`: the role may do this at most. */
  readonly effect: Effect | "restrict";
  readonly actions: readonly string[];
  /** `["*"]`: every role. */
  readonly roles: readonly string[];
  /** Ids of {@link DerivedRoleFacts}. */
  readonly derivedRoles: readonly string[];
  readonly condition?: ConditionFacts;
  /** The clause of a contract that the policy's annotations name for it. */
  readonly clause?: string;
  readonly place: Place;
}

export interface DerivedRoleFacts {
  readonly id: string;
  readonly policy: string;
  readonly name: string;
  readonly parentRoles: readonly string[];
  readonly condition?: ConditionFacts;
  readonly place: Place;
}

/** A variable or a constant, as a policy (or a set of derived roles) reads it. */
export interface NameFacts {
  /** The policy, and behind it the set of derived roles where the name is one of theirs. */
  readonly owner: string;
  readonly name: string;
  readonly kind: "variable" | "constant";
  /** Of a variable: what must be so for it to be true, or what it is. Of a constant: its value. */
  readonly words: Words;
  readonly text: string;
  /** The expression, or the constant in JSON. */
  readonly source: string;
  readonly names: readonly string[];
  readonly place?: Place;
}

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
  /** What the permission layer says, by role: in the order of {@link Review.roles}. */
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

export type FindingCode =
  | "contradictory_condition" // it is never true
  | "tautological_condition" // it is never false
  | "shadowed_rule" // an ALLOW that an unconditional DENY covers
  | "redundant_rule" // another rule of the same effect covers it
  | "unsupported_operation" // permitted to some, but no platform policy lists it
  | "ungranted_operation" // listed by the platform, but permitted to nobody
  | "unknown_role" // a rule for a role that nobody has
  | "unused_role" // a role that no rule mentions
  | "undeclared_attribute" // read, but in no schema
  | "impossible_value" // compared with a value that the schema rules out
  | "no_schema" // attributes are read, and there is no schema
  | "optional_attribute_in_denial" // absent, it is an error
  | "missing_clause" // a platform denial without a clause, where others have one
  | "untested_operation"
  | "load_warning"; // a warning of the loader, as `keyward check` prints it

export interface Finding {
  readonly code: FindingCode;
  /** `warning`: somebody should look at it. `note`: worth knowing. */
  readonly severity: "warning" | "note";
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The rule that it is about. */
  readonly rule?: string;
}

export interface FileFacts {
  readonly path: string;
  readonly lines: number;
}

export interface Review {
  /** The shape of this document. */
  readonly format: "keyward-review/1";
  readonly engine: { readonly name: "keyward"; readonly version: string };
  /** When the review was made: RFC 3339, in UTC. */
  readonly date: string;
  readonly policies: {
    /** See `policySetHash`. */
    readonly hash: string;
    readonly files: readonly FileFacts[];
    readonly permissionVersion: string;
    /** Absent: the set is permission-only. Then no rule is of the platform layer, and it supports everything. */
    readonly platformVersion?: string;
  };
  /** Every role that a rule of the permission layer mentions or that was given, by name; `*` last: any other role. */
  readonly roles: readonly string[];
  readonly operations: readonly OperationFacts[];
  readonly rules: readonly RuleFacts[];
  readonly derivedRoles: readonly DerivedRoleFacts[];
  readonly names: readonly NameFacts[];
  readonly findings: readonly Finding[];
}
