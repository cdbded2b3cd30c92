/** The review of a change of policies, as plain data. */

import type { Outcome } from "../../../decisions/types.js";
import type { PolicyIssue } from "../../../policy/issue.js";
import type { ClaimResult } from "../../../proof/claims/types.js";
import type { RequestJson } from "../../../space/draft.js";
import type { PolicyDiff } from "../../diff/types.js";
import type { Finding } from "../../findings/finding.js";
import type { DerivedRoleFacts, NameFacts, Review, RuleFacts } from "../types.js";
import type { ChangedLine } from "./lines.js";

/** The result of a claim or law for one set. */
export interface ClaimStanding {
  /** `meaningless`: it has names that the set does not know, or assumptions that no request satisfies. */
  readonly result: ClaimResult | "meaningless";
  /** How it was proved, or why it is unproven. */
  readonly why: string;
  /** If it is broken: the smallest request found that breaks it, and its outcome. */
  readonly request?: RequestJson;
  /** If a law about two requests is broken: the second request, to which `outcome` belongs. */
  readonly changed?: RequestJson;
  readonly outcome?: Outcome;
}

export interface ReviewedClaim {
  readonly claim: string;
  /** `file:line:column`; `""` for a law. For a withdrawn claim it is a position in the older set. */
  readonly position: string;
  /**
   * `stated`: in both sets with the same words and meaning, or in a file given for the review; laws are always
   * `stated`. `added`: only in the newer set. `withdrawn`: only in the older set. A claim with a changed meaning is
   * withdrawn and added.
   */
  readonly listed: "stated" | "added" | "withdrawn";
  /** Of the older set; absent where there is none. */
  readonly before?: ClaimStanding;
  readonly after: ClaimStanding;
}

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
