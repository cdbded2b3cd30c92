/** What a review says of a change of policies, as plain data. */

import type { Outcome } from "../../../decisions/types.js";
import type { PolicyIssue } from "../../../policy/issue.js";
import type { ClaimResult } from "../../../proof/claims/types.js";
import type { RequestJson } from "../../../space/draft.js";
import type { PolicyDiff } from "../../diff/types.js";
import type { Finding } from "../../findings/finding.js";
import type { DerivedRoleFacts, NameFacts, Review, RuleFacts } from "../types.js";
import type { ChangedLine } from "./lines.js";

/** What a claim, or a law, comes to for one set. */
export interface ClaimStanding {
  /** `meaningless`: it names what the set does not know, or assumes what nothing satisfies. */
  readonly result: ClaimResult | "meaningless";
  /** How it was proved, or why it is not. */
  readonly why: string;
  /** Of a broken one: the smallest request that was found, and what is decided. */
  readonly request?: RequestJson;
  /** Of a broken law about two requests: the second, which `outcome` is decided on. */
  readonly changed?: RequestJson;
  readonly outcome?: Outcome;
}

export interface ReviewedClaim {
  readonly claim: string;
  /** `file:line:column`; `""` for a law. Of a claim that was withdrawn it is a place of the older set. */
  readonly position: string;
  /**
   * `stated`: in both sets, word for word and with the same meaning, or in a file that was given; laws are. `added`,
   * `withdrawn`: in the newer set alone, in the older alone. A claim whose meaning was changed is withdrawn and added.
   */
  readonly listed: "stated" | "added" | "withdrawn";
  /** Of the older set; absent where there is none. */
  readonly before?: ClaimStanding;
  readonly after: ClaimStanding;
}

/** Something as it is written before and after; absent where it is not. One of them is there. */
export interface Pair<T> {
  readonly before?: T;
  readonly after?: T;
}

/** Facts, and the lines of the policies that they are from. */
export interface Sourced<T> {
  readonly facts: T;
  readonly source: string;
}

/** A variable or a constant that changed in the same way wherever it is read. */
export interface NamePair extends Pair<NameFacts> {
  /** Where it is read: see {@link NameFacts.owner}. */
  readonly owners: readonly string[];
}

/** What is written otherwise. What only stands elsewhere is not in it. */
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

/** A file with another text: runs of lines that changed, with some around them. None: only the ends of lines did. */
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
  /** What is wrong with the suites and the claims of the older set, which are taken for none then. */
  readonly unread: readonly PolicyIssue[];
}
