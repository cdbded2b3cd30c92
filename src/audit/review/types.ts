/** The data of a review: the output of `keyward review --format json`. */

import type { PolicyEffect } from "../../policy/model.js";
import type { Finding } from "../findings/finding.js";
import type { OperationFacts } from "../operations/types.js";
import type { LayerName } from "../policies.js";
import type { ConditionWords } from "../words/phrase.js";
import type { ReviewedClaim } from "./claim-types.js";

/** A range of lines in a file, counted from 1. `to` is the last line of the construct that starts at `line`. */
export interface FileLines {
  readonly file: string;
  readonly line: number;
  readonly to: number;
}

export interface ConditionFacts {
  /** The condition in plain words. */
  readonly words: ConditionWords;
  /** The same in one line; names and code stand between backticks. */
  readonly text: string;
  /** The variables and constants that it reads: names of {@link NameFacts} in the same policy. */
  readonly names: readonly string[];
}

/** A rule of a policy, or the entry of a role policy for one resource kind. */
export interface RuleFacts {
  /** `resource.api.vplatform#system_resource`; unique in a review. */
  readonly id: string;
  readonly layer: LayerName;
  /** The policy's name, with version and scope. */
  readonly policy: string;
  /** The subject of the policy: all principals on a resource kind, one principal, or one role. */
  readonly policyKind: "resource" | "principal" | "role";
  /** The resource kind; in principal and role policies it may be a pattern. */
  readonly kind: string;
  /** The principal or role that the policy is for; absent in resource policies. */
  readonly subject?: string;
  readonly scope: string;
  readonly name: string;
  /** The word that the rule gives as its reason. */
  readonly reason: string;
  /** `restrict`: the role may do this at most. */
  readonly effect: PolicyEffect | "restrict";
  readonly actions: readonly string[];
  /** `["*"]`: every role. */
  readonly roles: readonly string[];
  /** Ids of {@link DerivedRoleFacts}. */
  readonly derivedRoles: readonly string[];
  readonly condition?: ConditionFacts;
  /** The contract clause that the policy's annotations give for it. */
  readonly clause?: string;
  readonly place: FileLines;
}

export interface DerivedRoleFacts {
  readonly id: string;
  readonly policy: string;
  readonly name: string;
  readonly parentRoles: readonly string[];
  readonly condition?: ConditionFacts;
  readonly place: FileLines;
}

/** A variable or a constant, as a policy (or a set of derived roles) reads it. */
export interface NameFacts {
  /** The policy, followed by the set of derived roles if the name belongs to one. */
  readonly owner: string;
  readonly name: string;
  readonly kind: "variable" | "constant";
  /** For a variable: the condition under which it is true, or its value. For a constant: its value. */
  readonly words: ConditionWords;
  readonly text: string;
  /** The expression, or the constant in JSON. */
  readonly source: string;
  readonly names: readonly string[];
  readonly place?: FileLines;
}

export interface FileFacts {
  readonly path: string;
  readonly lines: number;
}

/** The results of a test suite. */
export interface SuiteFacts {
  readonly file: string;
  /** `errored`: a test, or the whole suite, could not be run. */
  readonly result: "passed" | "failed" | "errored" | "skipped";
  readonly tests: {
    readonly passed: number;
    readonly failed: number;
    readonly errored: number;
    readonly skipped: number;
  };
  /** Each test that fails or could not be run. `at` is `file:line:column`; of a Cerbos suite, its file. */
  readonly failures: readonly { readonly at: string; readonly message: string }[];
}

/** The results of all test suites of a set. */
export interface TestFacts {
  /** By path. */
  readonly suites: readonly SuiteFacts[];
  /** The percentage of the policies that the tests reach: see `CoverageReport`. */
  readonly coverage: number;
}

export interface Review {
  /** The format of this document. */
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
  /** Absent: no tests were run. */
  readonly tests?: TestFacts;
  /** The laws that the text of the policies proves. Absent: no law was checked, or `claims` has all laws. */
  readonly laws?: readonly ReviewedClaim[];
  /** The claims and laws of one set. Absent: claims were not checked. A review of a change has them in its own part. */
  readonly claims?: readonly ReviewedClaim[];
}
