/** The review of a change of policies, as plain data. */

import type { PolicyIssue } from "../../../policy/issue.js";
import type { PolicyDiff } from "../../diff/types.js";
import type { Finding } from "../../findings/finding.js";
import type { ReviewedClaim } from "../claim-types.js";
import type { DerivedRoleFacts, NameFacts, Review, RuleFacts } from "../types.js";
import type { ChangedLine } from "./lines.js";

/** An item as it is written before and after; absent on a side that does not have it. At least one side is present. */
export interface Pair<T> {
  readonly before?: T;
  readonly after?: T;
}

/** Facts, and their source lines in the policies. */
export interface Sourced<T> {
  readonly facts: T;
  readonly source: string;
}

/** A variable or constant that changed in the same way in every policy that reads it. */
export interface NamePair extends Pair<NameFacts> {
  /** The policies that read it: see {@link NameFacts.owner}. */
  readonly owners: readonly string[];
}

/** The items with changed text. Items that only moved are left out. */
export interface WrittenChanges {
  readonly rules: readonly Pair<Sourced<RuleFacts>>[];
  readonly derivedRoles: readonly Pair<Sourced<DerivedRoleFacts>>[];
  readonly names: readonly NamePair[];
  /** Rules that stand as they were. */
  readonly unchangedRules: number;
  /** Policies and schemas, by path. */
  readonly files: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly FileChange[];
  };
}

/** A file with changed text: runs of changed lines, with context. Empty if only line endings changed. */
export interface FileChange {
  readonly path: string;
  readonly runs: readonly (readonly ChangedLine[])[];
}

export interface FindingChanges {
  readonly new: readonly Finding[];
  readonly gone: readonly Finding[];
}

/** A change from an older set of policies to the one that is reviewed. */
export interface ChangeReview {
  /** The facts of the older set. */
  readonly before: Review;
  readonly decisions: PolicyDiff;
  readonly claims: readonly ReviewedClaim[];
  readonly findings: FindingChanges;
  readonly written: WrittenChanges;
  /** Issues of the older set's suites and claims. Those with issues count as absent. */
  readonly unread: readonly PolicyIssue[];
}
