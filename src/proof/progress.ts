/** Proves something for all questions, one after the other, until one question breaks it or the time is over. */

import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { TimedSolver, TimeLimit } from "../solver/timed-solver.js";
import type { Proved } from "./claims/types.js";
import type { QuestionProver } from "./question-prover.js";

export interface CourseOptions {
  /** Milliseconds for the whole proof. Questions not proved by then are unproven. Default: no limit. */
  readonly timeLimit?: number;
  /** Called with the number of questions examined so far. */
  readonly onProgress?: (claim: string, done: number, total: number) => void;
}

/** The result of one question. */
export type QuestionResult = Pick<Proved, "result" | "why" | "request" | "changed" | "outcome">;

/** The proof goal, and the number of its questions. */
export type ProofGoal = Pick<Proved, "claim" | "position" | "questions">;

export class Course {
  readonly solver: TimedSolver | NoSolver | undefined;
  private readonly limit: TimeLimit;
  private readonly onProgress: CourseOptions["onProgress"];

  constructor(solver: Solver | NoSolver | undefined, { timeLimit, onProgress }: CourseOptions) {
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
    let done = 0;
    for (const prover of asked) {
      if (this.limit.isOver) {
        unproven ??= { result: "unproven", why: `${questionName(prover)}: ${this.limit.why}` };
        break;
      }
      this.onProgress?.(head.claim, done++, head.questions);
      const outcome = await of(prover);
      if (outcome?.result === "broken") return { ...head, ...outcome };
      unproven ??= outcome;
    }
    return { ...head, ...(unproven ?? { result: "proved", why }) };
  }
}

/** A question, for messages. */
export function questionName({ question: { operation, kind } }: QuestionProver): string {
  return `${operation} on ${kind}`;
}
