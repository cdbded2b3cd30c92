/** The data of a policy set that `keyward review` reads, and the proofs about it. */

import * as E from "fp-ts/lib/Either.js";
import { reviewChange } from "../audit/review/change/change.js";
import { lawsByText, type ReviewedClaims, reviewClaims } from "../audit/review/change/claims.js";
import type { ReviewedClaim } from "../audit/review/claim-types.js";
import type { EvidencedSet, EvidenceParts } from "../audit/review/evidence.js";
import { type ReviewOptions, review } from "../audit/review/review.js";
import { type ReviewTests, reviewTests } from "../audit/review/tested.js";
import type { Review } from "../audit/review/types.js";
import type { LoadOptions } from "../node/load.js";
import { type PolicyIssue, positionText } from "../policy/issue.js";
import type { PolicyFile } from "../policy/parse.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import type { SuiteFiles } from "../testing/files.js";
import type { Arguments } from "./arguments.js";
import { pathFrom } from "./directory.js";
import { readOptionsOf } from "./policy-options.js";
import type { PolicySource } from "./policy-source.js";
import { claimsOf, type ReadClaims } from "./read-claims.js";

export interface ReadSet extends Omit<EvidencedSet, "claims"> {
  readonly tests: ReviewTests;
  /** Faults of the suites. If there are any, no suite was run. */
  readonly faults: readonly PolicyIssue[];
}

/** Left: the faults of the policies, one line each. */
export async function readSet(
  source: PolicySource,
  load: LoadOptions,
  options: Omit<ReviewOptions, "tests">,
): Promise<E.Either<readonly string[], ReadSet>> {
  const loaded = await source.policies(load);
  if (E.isLeft(loaded)) return E.left(loaded.left.map((issue) => source.line(issue)));
  const policies = loaded.right;
  const suites = await source.suites(load);
  const ran = E.chain((files: SuiteFiles) => reviewTests(policies, files, load))(suites);
  const counted = E.isRight(ran) ? ran : reviewTests(policies, new Map(), load);
  if (E.isLeft(counted)) return E.left(counted.left.map((issue) => source.line(issue)));
  const tests = counted.right;
  const suiteFiles: SuiteFiles = E.isRight(suites) ? suites.right : new Map();
  return E.right({
    policies,
    review: await review(policies, { ...options, tests }),
    tests,
    suites: [...suiteFiles].map(([path, text]): PolicyFile => ({ path, text })),
    faults: E.isLeft(ran) ? ran.left : [],
  });
}

/** The proofs about a set and their inputs: all parts of the evidence besides the set itself. */
export interface ProvedSet extends Pick<EvidenceParts, "change" | "solver"> {
  readonly claims: readonly ReviewedClaim[];
  readonly claimFiles: readonly PolicyFile[];
  /** The claims and laws for the page of one set: that of a change has them in its own part. */
  readonly shown: Pick<Review, "claims" | "laws" | "unchecked">;
}

/** The faults of claims. */
type WrongClaims = Extract<ReviewedClaims, { readonly kind: "wrong" }>;

/** The claims and laws of a review that proves nothing but what the text of the policies proves. */
export async function listClaims(
  source: PolicySource,
  { policies }: ReadSet,
  given: Arguments,
): Promise<ProvedSet | WrongClaims> {
  const { claims, files, issues } = await source.claims(readOptionsOf(given));
  if (issues.length > 0) return { kind: "wrong", issues };
  const { laws, unchecked } = await lawsByText(policies);
  const stated = claims.map(({ claim, at }) => ({ claim, position: positionText(at) }));
  const shown = { laws, unchecked: [...unchecked, ...stated] };
  return { claims: [], claimFiles: files, solver: undefined, shown };
}

/** Proves claims, and compares the set with `older` if given. `issues`: the faults of the claims. */
export async function prove(
  source: PolicySource,
  set: ReadSet,
  older: { readonly source: PolicySource; readonly set: ReadSet } | undefined,
  given: Arguments,
  solver: Solver | NoSolver | undefined,
  cwd: string | undefined,
): Promise<ProvedSet | WrongClaims> {
  const file = given.texts.get("claims");
  const options = readOptionsOf(given);
  const claimed = (of: PolicySource): Promise<ReadClaims> =>
    file === undefined ? of.claims(options) : claimsOf(pathFrom(cwd, file), options);
  const own = await claimed(source);
  if (own.issues.length > 0) return { kind: "wrong", issues: own.issues };
  const others = older && (await claimed(older.source));
  const reviewed = await reviewClaims(
    { policies: set.policies, claims: own.claims },
    older && { policies: older.set.policies, claims: others?.issues.length === 0 ? others.claims : [] },
    solver,
  );
  if (reviewed.kind === "wrong") return reviewed;
  const found = { claims: reviewed.claims, claimFiles: own.files, solver: isSolver(solver) ? solver : undefined };
  if (older === undefined) return { ...found, shown: { claims: reviewed.claims } };
  const unread = [...older.set.faults, ...(others?.issues ?? [])];
  const change = await reviewChange(older.set, set, reviewed.claims, unread, solver);
  return { ...found, change: { before: { ...older.set, claims: others?.files ?? [] }, review: change }, shown: {} };
}
