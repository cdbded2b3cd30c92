/** Compares a policy set with a mutant: proves that every decision is the same, or finds a request that shows a difference. */

import { otherVersionsOf, setOfVersion } from "../decisions/other-versions.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Formula } from "../engine/formula/formula.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { triedRequest } from "../proof/attempted-requests.js";
import type { QuestionProver } from "../proof/question-prover.js";
import { allQuestions, type Questions } from "../proof/questions.js";
import { findWellFormed, isWellFormed } from "../proof/well-formed.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import type { RequestJson } from "../space/draft.js";
import { answerOf, DIFFERENCES, type DifferenceKind, differ } from "./answer.js";
import { reasonsDiffer } from "./reason-formulas.js";

export type ComparisonResult =
  /** No decision differs; this is proved. */
  | { readonly kind: "equal" }
  /** `isMalformed`: the schemas refuse the request, and no other was found. */
  | { readonly kind: "different"; readonly request: RequestJson; readonly isMalformed: boolean }
  | { readonly kind: "unproven"; readonly why: string };

export class MutantComparison {
  private readonly before: PolicySet;
  private readonly after: PolicySet;
  private readonly solver: Solver | NoSolver | undefined;
  private readonly whys: string[] = [];
  private readonly all: Questions;
  private affected: ReadonlySet<string> | undefined;
  /** A request that the policies answer with a fault, and one that their schemas refuse. */
  private faulty: RequestJson | undefined;
  private malformed: RequestJson | undefined;

  constructor(before: PolicySet, after: PolicySet, solver: Solver | NoSolver | undefined) {
    this.before = before;
    this.after = after;
    this.solver = solver;
    this.all = allQuestions([before, after]);
  }

  /** Does the text of the rules alone leave open whether the outcome of a question differs? */
  isAffected(question: OperationQuestion): boolean {
    this.affected ??= new Set(this.all.questions.filter((one) => this.isOpen(one)).map(nameOf));
    return this.affected.has(nameOf(question));
  }

  private isOpen(question: OperationQuestion): boolean {
    const prover = this.all.proverOf(question);
    return goalOf("outcome", prover, this.before, this.after) !== prover.world.formulas.no;
  }

  async result(): Promise<ComparisonResult> {
    this.whys.push(...this.all.gaps);
    for (const kind of DIFFERENCES) {
      for (const question of this.all.questions) {
        if (kind === "outcome" && !this.isAffected(question)) continue;
        const request = await this.shown(kind, question);
        if (request !== undefined) return { kind: "different", request, isMalformed: false };
      }
    }
    if (this.faulty !== undefined) return { kind: "different", request: this.faulty, isMalformed: false };
    if (this.malformed !== undefined) return { kind: "different", request: this.malformed, isMalformed: true };
    await this.compareOtherVersions();
    const [why] = this.whys;
    return why === undefined ? { kind: "equal" } : { kind: "unproven", why };
  }

  /**
   * A well-formed request without a fault that shows a difference of a kind. Others, and what is not proved, are kept
   * for later.
   */
  private async shown(kind: DifferenceKind, question: OperationQuestion): Promise<RequestJson | undefined> {
    const { before, after, solver } = this;
    const prover = this.all.proverOf(question);
    const { formulas } = prover.world;
    const goal = goalOf(kind, prover, before, after);
    if (goal === formulas.no) return undefined;
    const sound = formulas.and(goal, formulas.not(prover.outcomes(before).faulty));
    const shows = (request: RequestJson) => differ(answerOf(before, request), answerOf(after, request), kind);
    const showsSoundly = (request: RequestJson) => shows(request) && answerOf(before, request).fault === undefined;
    const tried = triedRequest(before, question, (one) => showsSoundly(one) && isWellFormed([before], one));
    if (tried !== undefined) return tried;
    if (isSolver(solver)) {
      const answer = await prover.ask(goal, solver, { texts: "symbols" });
      if (answer.kind === "unsatisfiable") return undefined;
    }
    const best = await findWellFormed(prover, solver, { goal: sound, sets: [before], replays: showsSoundly });
    if (best.kind === "request") return best.request;
    const found = await findWellFormed(prover, solver, { goal, sets: [before], replays: shows });
    if (found.kind === "none") return undefined;
    if (found.kind === "request") {
      this.faulty ??= found.request;
      return undefined;
    }
    this.malformed ??= found.kind === "malformed" ? found.request : found.malformed;
    if (found.kind === "unproven") this.whys.push(`${question.operation} on ${question.kind}: ${found.why}`);
    return undefined;
  }

  /** Versions that no layer asks are compared by their outcomes. No decision suite can ask them. */
  private async compareOtherVersions(): Promise<void> {
    for (const version of new Set([...otherVersionsOf(this.before), ...otherVersionsOf(this.after)])) {
      const [before, after] = [setOfVersion(this.before, version), setOfVersion(this.after, version)];
      const { questions, proverOf } = allQuestions([before, after]);
      for (const question of questions) {
        const prover = proverOf(question);
        const goal = goalOf("outcome", prover, before, after);
        const shows = (request: RequestJson) => differ(answerOf(before, request), answerOf(after, request), "outcome");
        const { kind } = await prover.find(goal, this.solver, shows);
        if (kind === "none") continue;
        this.whys.push(
          `${question.operation} on ${question.kind}: it may differ in version ${version}, which no layer asks`,
        );
      }
    }
  }
}

function nameOf({ kind, operation }: OperationQuestion): string {
  return JSON.stringify([kind, operation]);
}

/** When the answers to a question can differ in a way. */
function goalOf(kind: DifferenceKind, prover: QuestionProver, before: PolicySet, after: PolicySet): Formula {
  const { formulas } = prover.world;
  if (kind === "reasons") return reasonsDiffer(prover, before, after);
  const [older, newer] = [prover.outcomes(before), prover.outcomes(after)];
  const differs = (a: Formula, b: Formula) => formulas.not(formulas.same(a, b));
  if (kind === "fault") return differs(older.faulty, newer.faulty);
  return formulas.or(differs(older.allow, newer.allow), differs(older.forbidden, newer.forbidden));
}
