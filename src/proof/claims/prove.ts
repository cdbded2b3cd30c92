/** Proves claims about a policy set, or finds the smallest request that breaks one. */

import { configurationNotes } from "../../decisions/configuration-notes.js";
import { decideAny } from "../../decisions/decide.js";
import { isUnknown } from "../../decisions/fault.js";
import { type ProvedVersion, setsToProve } from "../../decisions/other-versions.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { type PolicyIssue, positionText } from "../../policy/issue.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { triedRequest } from "../attempted-requests.js";
import { proveLaws } from "../laws/laws.js";
import { Course, type CourseOptions, type QuestionResult, questionName } from "../progress.js";
import type { QuestionProver, Replay } from "../question-prover.js";
import { allQuestions, type Questions } from "../questions.js";
import { repaired } from "../repair.js";
import type { FoundRequests } from "../shrink.js";
import { findWellFormed, isWellFormed } from "../well-formed.js";
import { KnownNames } from "./names.js";
import { type AskedClaim, assumption, searchOf } from "./searches.js";
import type { Claim, Proved } from "./types.js";

/** The results of the laws and the claims; or the issues of the claims, in which case nothing was proved. */
export type Proofs =
  | { readonly kind: "proved"; readonly claims: readonly Proved[] }
  | { readonly kind: "wrong"; readonly issues: readonly PolicyIssue[] };

export interface ProveOptions extends CourseOptions {
  /** Called with each result as it arrives. */
  readonly onProved?: (proved: Proved) => void;
}

interface VersionOptions extends ProveOptions {
  readonly withLaws: boolean;
  /** Claims are proved of these questions alone, and not examined for emptiness. Default: all. */
  readonly isAsked?: (question: OperationQuestion) => boolean;
}

/** Proves the five laws, which do not depend on the claims, and then the claims. */
export async function proveAll(
  set: PolicySet,
  claims: readonly Claim[],
  solver: Solver | NoSolver | undefined,
  options: ProveOptions = {},
): Promise<Proofs> {
  return await proveEachVersion(set, claims, solver, { ...options, withLaws: true });
}

/**
 * Proves claims about a policy set, without the laws. Each claim is proved, broken by a request, or unproven; the results
 * are in the order of the claims. `claims`: see {@link readClaims}. Names that the policies do not know are issues, and so
 * are assumptions that no request satisfies, because they would make every claim true. Without a solver, a claim can be
 * broken and is never proved.
 */
export async function proveClaims(
  policies: PolicySet,
  claims: readonly Claim[],
  solver: Solver | NoSolver | undefined,
  options: ProveOptions = {},
): Promise<Proofs> {
  return await proveEachVersion(policies, claims, solver, { ...options, withLaws: false });
}

/** {@link proveClaims} of some questions alone, for claims that are not empty. */
export async function proveClaimsOn(
  policies: PolicySet,
  claims: readonly Claim[],
  solver: Solver | NoSolver | undefined,
  isAsked: (question: OperationQuestion) => boolean,
): Promise<Proofs> {
  return await proveEachVersion(policies, claims, solver, { withLaws: false, isAsked });
}

/**
 * Proves of the layers, and then of each version that no layer asks. A version is asked only about claims
 * with operations and kinds that it knows; a claim is wrong if no version knows them.
 */
async function proveEachVersion(
  set: PolicySet,
  claims: readonly Claim[],
  solver: Solver | NoSolver | undefined,
  options: VersionOptions,
): Promise<Proofs> {
  const course = new Course(solver, options);
  const versions = setsToProve(set);
  const provers = versions.map((one) => new ClaimProver(one, versions, course, options));
  const asked = new Map<ClaimProver, readonly Claim[]>();
  const wrong = new Map<Claim, readonly PolicyIssue[]>(claims.map((claim) => [claim, []]));
  for (const prover of provers) {
    const known: Claim[] = [];
    for (const claim of claims) {
      const issues = await prover.issuesOf(claim);
      if (issues.length === 0) known.push(claim);
      const before = wrong.get(claim);
      if (before !== undefined) {
        if (issues.length === 0) wrong.delete(claim);
        else if (before.length === 0) wrong.set(claim, issues);
      }
    }
    asked.set(prover, known);
  }
  const issues = [...wrong.values()].flat();
  if (issues.length > 0) return { kind: "wrong", issues };
  for (const [prover, known] of asked) await prover.prove(known, options.withLaws);
  return { kind: "proved", claims: provers.flatMap(({ proved }) => proved) };
}

class ClaimProver {
  readonly proved: Proved[] = [];
  private readonly set: PolicySet;
  private readonly version: string | undefined;
  private readonly course: Course;
  private readonly options: Pick<VersionOptions, "onProved" | "isAsked">;
  private readonly all: Questions;
  private readonly names: KnownNames;

  constructor(
    { set, version }: ProvedVersion,
    versions: readonly ProvedVersion[],
    course: Course,
    options: Pick<VersionOptions, "onProved" | "isAsked">,
  ) {
    this.set = set;
    this.version = version;
    this.course = course;
    this.options = options;
    this.all = allQuestions([set]);
    const sets = versions.map((one) => one.set);
    this.names = new KnownNames(set, this.all.questions, sets);
  }

  async prove(claims: readonly Claim[], withLaws: boolean): Promise<void> {
    if (withLaws) {
      const asked = this.all.questions.map((question) => this.all.proverOf(question));
      for await (const law of proveLaws(this.set, asked, this.course)) this.add(law);
    }
    for (const claim of claims) this.add(await this.claim(claim));
  }

  /** If some questions could not be distinguished, nothing is proved of all questions. */
  private add(proved: Proved): void {
    const { gaps } = this.all;
    const { assumed: settings } = configurationNotes([this.set]);
    const isDoubted = proved.result === "proved" && gaps.length > 0;
    const one: Proved = {
      ...proved,
      ...(isDoubted ? { result: "unproven", why: gaps.join("; ") } : {}),
      ...(this.version === undefined ? {} : { version: this.version }),
      ...(settings.length === 0 ? {} : { assumes: settings }),
    };
    this.proved.push(one);
    this.options.onProved?.(one);
  }

  async issuesOf(claim: Claim): Promise<readonly PolicyIssue[]> {
    const log = new IssueLog();
    this.names.checkClaim(claim, log);
    const why = log.size > 0 || this.options.isAsked !== undefined ? undefined : await this.whyEmpty(claim);
    if (why !== undefined) log.error("shape", claim.at, `${why}, so the claim is empty`);
    return log.issues;
  }

  /** Why no request satisfies the assumptions of a claim. If the solver does not know, a request counts as possible. */
  private async whyEmpty(claim: Claim): Promise<string | undefined> {
    const { set } = this;
    const questions = this.names.claimedQuestions(claim);
    if (questions.length === 0) return "no policy knows these operations on these kinds";
    if (claim.assume.expressions.length === 0) return undefined;
    for (const { question } of questions) {
      const prover = this.all.proverOf(question);
      const { goal, others, broken } = assumption({ set, claim, prover });
      const replays = (one: RequestJson) => broken(one) !== undefined;
      const variants = (one: RequestJson) => [one, ...repaired(set, question, one)];
      const found = await prover.find(goal, this.course.solver, replays, { others, variants });
      if (found.kind !== "none") return undefined;
    }
    return "no request satisfies the assumptions";
  }

  private async claim(claim: Claim): Promise<Proved> {
    const { isAsked = () => true } = this.options;
    const { form } = claim;
    const questions = this.names.claimedQuestions(claim).filter(({ question, second }) => {
      if (isAsked(question) || (second !== undefined && isAsked(second))) return true;
      return form.kind === "together" && isAsked({ ...question, operation: form.other.name });
    });
    const seconds = new Map<QuestionProver, OperationQuestion | undefined>();
    const provers = (function* (all: Questions) {
      for (const { question, second } of questions) {
        const prover = all.proverOf(question);
        seconds.set(prover, second);
        yield prover;
      }
    })(this.all);
    const head = { claim: claim.claim, position: positionText(claim.at), questions: questions.length };
    return await this.course.run(head, WHY[form.kind] ?? "no request breaks it", provers, async (prover) => {
      return await this.onQuestion({ set: this.set, claim, prover, second: seconds.get(prover) });
    });
  }

  /** The result of a claim on one question; undefined: it is proved. */
  private async onQuestion(asked: AskedClaim): Promise<QuestionResult | undefined> {
    const { prover, second: question } = asked;
    const sets = [this.set];
    const search = searchOf(asked);
    if (search === undefined) return this.ifKnown(prover);
    const { goal, others, broken, second } = search;
    const shows: Replay = (request, other) => broken(request, other) !== undefined;
    const isRight: Replay = (request, other) =>
      shows(request, other) &&
      [request, ...(other === undefined ? [] : [other])].every((one) => isWellFormed(sets, one));
    const found = await findWellFormed(prover, this.course.solver, { goal, sets, replays: shows, others, second });
    if (found.kind === "none") return undefined;
    const first = found.kind === "unproven" ? triedRequests(this.set, prover.question, question, isRight) : found;
    const isMalformed = found.kind === "malformed";
    const shown = first && broken(first.request, first.second);
    const name = questionName(prover);
    const what = question === undefined ? name : `${name} and ${question.operation} on ${question.kind}`;
    if (shown === undefined) {
      return { result: "unproven", why: `${what}: ${found.kind === "unproven" ? found.why : ""}` };
    }
    return { result: "broken", why: what, ...shown, ...(isMalformed ? { malformed: true } : {}) };
  }

  /** A request for the operation of a question, if some policy knows it. */
  private ifKnown(prover: QuestionProver): QuestionResult | undefined {
    const { kind, operation } = prover.question;
    if (isUnknown(this.set, kind, operation)) return undefined;
    const request = triedRequest(this.set, prover.question, (one) => isWellFormed([this.set], one));
    const why = `policies know ${questionName(prover)}`;
    if (request === undefined) return { result: "unproven", why: `${why}, and no request shows it` };
    return { result: "broken", why, request, outcome: decideAny(this.set, requestOf(request)).outcome };
  }
}

/** How claims are proved; those without a line here: no request breaks them. */
const WHY: { readonly [kind in Claim["form"]["kind"]]?: string } = {
  absent: "no policy of any kind knows it",
  together: "no key breaks it",
};

/** A request, or two, with values that conditions distinguish. */
function triedRequests(
  set: PolicySet,
  question: OperationQuestion,
  second: OperationQuestion | undefined,
  shows: Replay,
): FoundRequests | undefined {
  if (second === undefined) {
    const request = triedRequest(set, question, (one) => shows(one));
    return request && { request };
  }
  let left = MAX_FIRST;
  let next: RequestJson | undefined;
  const request = triedRequest(set, question, (first) => {
    if (decideAny(set, requestOf(first)).outcome !== "allow" || left-- <= 0) return false;
    const other = triedRequest(set, second, (one) => shows(first, { ...one, key: first.key }));
    next = other ?? next;
    return other !== undefined;
  });
  return request && next && { request, second: { ...next, key: request.key } };
}

/** For a claim about two requests: the first ones for which a second one is tried. */
const MAX_FIRST = 20;
