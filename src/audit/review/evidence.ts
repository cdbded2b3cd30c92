/**
 * The evidence of a review, for signers and for machines: its input files, versions and results. It has no date, and
 * only paths within the sets: the same files, options and versions give the same bytes.
 */

import { sha256 } from "../../bundle/digest.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { type PolicyIssue, positionText, type SourcePosition } from "../../policy/issue.js";
import { compareText } from "../../policy/issue-log.js";
import type { PolicyFile } from "../../policy/parse.js";
import type { Solver } from "../../solver/solver.js";
import type { CoverageReport } from "../../testing/coverage/report.js";
import type { PolicyDiff } from "../diff/types.js";
import type { Finding } from "../findings/finding.js";
import type { ChangeReview, FindingChanges } from "./change/types.js";
import type { ReviewedClaim } from "./claim-types.js";
import { type ReviewConclusion, reviewConclusion } from "./conclusion.js";
import { coverageGaps, type ReviewTests } from "./tested.js";
import type { ControlFacts, CoverageGap, Review, SuiteFacts } from "./types.js";

/** A file, and the SHA-256 of its bytes, in hexadecimal digits. */
export interface FileEvidence {
  readonly path: string;
  readonly sha256: string;
}

export interface SetEvidence {
  /** See `policySetHash`. */
  readonly hash: string;
  readonly permissionVersion: string;
  /** Absent: the set is permission-only. */
  readonly platformVersion?: string;
  /** Policies and schemas. */
  readonly files: readonly FileEvidence[];
  /** Files of claims. */
  readonly claims: readonly FileEvidence[];
  /** Test suites and their fixtures. */
  readonly suites: readonly FileEvidence[];
}

/**
 * The part of the policies that the suites reach. `missing`: everything that they do not reach, by position.
 * `unreachable`: goals that no request can meet, and that therefore do not count.
 */
export interface CoverageEvidence extends Omit<CoverageReport, "points"> {
  readonly missing: readonly CoverageGap[];
  readonly unreachable: readonly CoverageGap[];
}

export interface Evidence {
  /** The format of this document. */
  readonly format: "keyward-evidence/1";
  readonly engine: Review["engine"];
  /** The solver, and its time limit for a question in milliseconds. Absent: no solver was asked. */
  readonly solver?: { readonly name: "z3-solver"; readonly version: string; readonly timeLimit: number };
  /** What the review comes to, as the page says it. */
  readonly conclusion: ReviewConclusion;
  readonly policies: SetEvidence;
  readonly claims: readonly ReviewedClaim[];
  readonly findings: readonly Finding[];
  readonly suites: readonly SuiteFacts[];
  readonly coverage: CoverageEvidence;
  /** The controls of `keyward.yaml`. Absent: it has none. */
  readonly controls?: readonly ControlFacts[];
  /** Only for a review of a change. */
  readonly change?: {
    /** The older set. */
    readonly policies: SetEvidence;
    readonly decisions: PolicyDiff;
    readonly findings: FindingChanges;
    /** Ids of rules. */
    readonly rules: {
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    };
    readonly files: {
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    };
    /** Suites and claims of the older set that could not be read. */
    readonly unread: readonly { readonly at: string; readonly message: string }[];
  };
}

/** A policy set with its suites and claims. */
export interface EvidencedSet {
  readonly policies: PolicySet;
  readonly review: Review;
  readonly claims: readonly PolicyFile[];
  readonly suites: readonly PolicyFile[];
}

export interface EvidenceParts {
  readonly set: EvidencedSet;
  readonly tests: Pick<ReviewTests, "suites" | "coverage">;
  readonly claims: readonly ReviewedClaim[];
  readonly change?: { readonly before: EvidencedSet; readonly review: ChangeReview };
  readonly solver: Pick<Solver, "version" | "timeLimit"> | undefined;
}

/** Rejects where there is no WebCrypto. */
export async function evidenceOf({ set, tests, claims, change, solver }: EvidenceParts): Promise<Evidence> {
  const { engine, findings, controls } = set.review;
  return {
    format: "keyward-evidence/1",
    engine,
    ...(solver === undefined
      ? {}
      : { solver: { name: "z3-solver", version: solver.version, timeLimit: solver.timeLimit } }),
    conclusion: reviewConclusion({ review: set.review, claims, change: change?.review }),
    policies: await setEvidence(set),
    claims,
    findings,
    suites: tests.suites,
    coverage: coverageOf(tests.coverage),
    ...(controls.length === 0 ? {} : { controls }),
    ...(change === undefined ? {} : { change: await changeEvidence(change.before, change.review) }),
  };
}

async function setEvidence({ policies, review, claims, suites }: EvidencedSet): Promise<SetEvidence> {
  const { hash, permissionVersion, platformVersion } = review.policies;
  return {
    hash,
    permissionVersion,
    ...(platformVersion === undefined ? {} : { platformVersion }),
    files: await filesOf(policies.files),
    claims: await filesOf(claims),
    suites: await filesOf(suites),
  };
}

async function filesOf(files: readonly PolicyFile[]): Promise<readonly FileEvidence[]> {
  const hashed = await Promise.all(files.map(async ({ path, text }) => ({ path, sha256: await sha256(text) })));
  return hashed.sort((a, b) => compareText(a.path, b.path));
}

async function changeEvidence(
  before: EvidencedSet,
  { decisions, findings, written, unread }: ChangeReview,
): Promise<NonNullable<Evidence["change"]>> {
  const { rules, files } = written;
  const idsOf = (change: "added" | "removed" | "changed") =>
    rules.flatMap(({ before: one, after: other }) => {
      const own = one === undefined ? "added" : other === undefined ? "removed" : "changed";
      return own === change ? [(other ?? one)?.facts.id ?? ""] : [];
    });
  return {
    policies: await setEvidence(before),
    decisions,
    findings,
    rules: { added: idsOf("added"), removed: idsOf("removed"), changed: idsOf("changed") },
    files: { ...files, changed: files.changed.map(({ path }) => path) },
    unread: unread.map(toldOf),
  };
}

function toldOf({ message, ...at }: PolicyIssue & SourcePosition): { readonly at: string; readonly message: string } {
  return { at: positionText(at), message };
}

function coverageOf(report: CoverageReport): CoverageEvidence {
  const { points, ...sums } = report;
  const unreachable = points.flatMap((point) =>
    point.kind === "operand"
      ? point.unreachable.map((value) => ({
          at: positionText(point),
          what: `operand \`${point.expression}\`: cannot decide alone as ${value}`,
        }))
      : [],
  );
  return { ...sums, missing: coverageGaps(report), unreachable };
}
