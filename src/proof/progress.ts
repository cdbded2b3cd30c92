/** Proves something for all questions, one after the other, until one question breaks it or the time is over. */

import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { TimedSolver, TimeLimit } from "../solver/timed-solver.js";
import type { Proved } from "./claims/types.js";
import type { QuestionProver } from "./question-prover.js";

export interface CourseOptions {
  /** Milliseconds for the whole proof. Questions not proved by then are unproven. Default: no limit. */
  readonly timeLimit?: number;
  /**
   * Whether claims and laws are broken by requests that the schemas refuse, and by two values that are `null`.
   * Default: they are not, and a proof names them as an exception.
   */
  readonly damaged?: boolean;
  /** Called with the number of questions examined so far. */
  readonly onProgress?: (claim: string, done: number, total: number) => void;
}

/** The result of one question. */
export type QuestionResult = Pick<
  Proved,
  "result" | "why" | "request" | "changed" | "outcome" | "reasons" | "layer" | "malformed" | "nulls"
>;

/** The proof goal, and the number of its questions. */
export type ProofGoal = Pick<Proved, "claim" | "position" | "questions">;

export class Course {
  readonly solver: TimedSolver | NoSolver | undefined;
  private readonly damaged: boolean;
  private readonly limit: TimeLimit;
  private readonly onProgress: CourseOptions["onProgress"];

  constructor(solver: Solver | NoSolver | undefined, { timeLimit, onProgress, damaged = false }: CourseOptions) {
    this.damaged = damaged;
    this.limit = new TimeLimit(timeLimit);
    this.solver = isSolver(solver) ? new TimedSolver(solver, this.limit) : solver;
    this.onProgress = onProgress;
  }

  /**
   * `why`: how it is proved, if it is proved for all questions. `of`: the result of one question; undefined: proved.
   */
  async run(
    head: ProofGoal,
    why: string,
    asked: Iterable<QuestionProver>,
    of: (prover: QuestionProver) => Promise<QuestionResult | undefined>,
  ): Promise<Proved> {
    let unproven: QuestionResult | undefined;
    let unusual: QuestionResult | undefined;
    let done = 0;
    for (const prover of asked) {
      if (this.limit.isOver) {
        unproven ??= { result: "unproven", why: `${questionName(prover)}: ${this.limit.why}` };
        break;
      }
      this.onProgress?.(head.claim, done++, head.questions);
      const outcome = await of(prover);
      if ((outcome?.malformed ?? outcome?.nulls) === true && !this.damaged) {
        unusual ??= outcome;
        continue;
      }
      if (outcome?.result === "broken") return { ...head, ...outcome };
      unproven ??= outcome;
    }
    if (unproven !== undefined) return { ...head, ...unproven };
    return { ...head, ...provedExcept(why, unusual === undefined ? [] : [exceptionOf(unusual)]) };
  }
}

/** The data that a proof leaves out, in words. */
function exceptionOf({ nulls, why }: QuestionResult): string {
  const data = nulls === true ? "two values without a declared type that are null" : "data that the schemas refuse";
  return `${data} (${why}): --damaged shows it`;
}

/** The fields of a proved result with these exceptions. */
export function provedExcept(why: string, except: readonly string[]): Pick<Proved, "result" | "why" | "except"> {
  if (except.length === 0) return { result: "proved", why };
  return { result: "proved", why: `${why}, except ${except.join("; ")}`, except };
}

/** A question, for messages. */
export function questionName({ question: { operation, kind } }: QuestionProver): string {
  return `${operation} on ${kind}`;
}
