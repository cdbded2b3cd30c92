/** The data of a review: the output of `keyward review --format json`. */

import type { PolicyEffect } from "../../policy/model.js";
import type { CoverageTally } from "../../testing/coverage/report.js";
import type { Finding } from "../findings/finding.js";
import type { AllowChance, OperationFacts, ScopeFacts } from "../operations/types.js";
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
  /**
   * The permissions that it looks for, if it holds only for keys with a permission of their own. `[…]` stands for a
   * part that the request fills in: `api.[…].read_api`.
   */
  readonly permissions?: readonly string[];
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

/** What an operation allows to keys apart from their roles. */
export interface EveryRoleFacts {
  /** By a permission of the key's own. `never`: no rule for every role was recognised as one that requires such. */
  readonly byPermission: AllowChance;
  /** The permissions, as in {@link RuleFacts}. */
  readonly permissions: readonly string[];
  /** By rules for every role that require no such permission. */
  readonly byAny: AllowChance;
}

export interface ReviewedOperation extends OperationFacts {
  readonly scopes: readonly (ScopeFacts & { readonly everyRole: EveryRoleFacts })[];
}

/** A control of `keyward.yaml`. */
export interface ControlFacts {
  readonly control: string;
  /** The clauses that serve it, in the order of the file. */
  readonly clauses: readonly {
    readonly clause: string;
    /** Ids of the rules that carry it. */
    readonly rules: readonly string[];
    /** Those of them that decide in a test. Absent: no tests were run. */
    readonly tested?: readonly string[];
  }[];
  /**
   * - `missing`: no rule carries one of its clauses.
   * - `untested`: rules carry all of them, and one of the rules decides in no test.
   * - `tested`: each of the rules decides in a test.
   * - `carried`: rules carry all of them, and no tests were run.
   */
  readonly coverage: "missing" | "untested" | "tested" | "carried";
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
  /** The goals of the coverage that the tests meet, by what they are about. */
  readonly goals: { readonly [of in CoveredPart]: CoverageTally };
  /** The goals that no test meets, by position. */
  readonly missing: readonly CoverageGap[];
}

export type CoveredPart = "rules" | "conditions" | "operands" | "derivedRoles" | "variables" | "outputs";

/** A goal of the coverage that no test meets. `at` is `file:line:column`. */
export interface CoverageGap {
  readonly at: string;
  readonly what: string;
}

/** A claim or a law that was not checked, because no proof was asked. */
export interface UncheckedClaim {
  readonly claim: string;
  /** As in {@link ReviewedClaim}: `""` for a law. */
  readonly position: string;
}

export interface Review {
  /** The format of this document. */
  readonly format: "keyward-review/1";
  readonly engine: { readonly name: "keyward"; readonly version: string };
  /** When the review was made: RFC 3339, in UTC. */
  readonly date: string;
  readonly policies: {
    /** From `keyward.yaml`: the name of the set, who answers for it, and what it is for. */
    readonly title?: string;
    readonly owner?: string;
    readonly purpose?: string;
    /** See `policySetHash`. */
    readonly hash: string;
    readonly files: readonly FileFacts[];
    readonly permissionVersion: string;
    /** Absent: the set is permission-only. Then no rule is of the platform layer, and it supports everything. */
    readonly platformVersion?: string;
  };
  /** Every role that a rule of the permission layer mentions or that was given, by name; `*` last: any other role. */
  readonly roles: readonly string[];
  readonly operations: readonly ReviewedOperation[];
  readonly rules: readonly RuleFacts[];
  readonly derivedRoles: readonly DerivedRoleFacts[];
  readonly names: readonly NameFacts[];
  readonly findings: readonly Finding[];
  /** True if a solver looked for findings as well. */
  readonly hasProvenFindings: boolean;
  /** The controls of `keyward.yaml`. */
  readonly controls: readonly ControlFacts[];
  /** Absent: no tests were run. */
  readonly tests?: TestFacts;
  /** The laws that the text of the policies proves. Absent: no law was checked, or `claims` has all laws. */
  readonly laws?: readonly ReviewedClaim[];
  /** The claims and laws of one set. Absent: claims were not checked. A review of a change has them in its own part. */
  readonly claims?: readonly ReviewedClaim[];
  /** The claims and laws of one set that were not checked. */
  readonly unchecked?: readonly UncheckedClaim[];
}
