/** How something is proved of all questions: one after the other, until one breaks it or the time is over. */

import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { TimedSolver, TimeLimit } from "../solver/timed.js";
import type { Proved } from "./claims/types.js";
import type { QuestionProver } from "./question-prover.js";

export interface CourseOptions {
  /** Milliseconds for all that is asked. What is not proved until then is not. Default: as long as it takes. */
  readonly timeLimit?: number;
  /** Told of how many questions something was asked. */
  readonly onProgress?: (claim: string, done: number, total: number) => void;
}

/** What came of one question. */
export type Outcome = Pick<Proved, "result" | "why" | "request" | "changed" | "outcome">;

/** Something that is to be proved, of so many questions. */
export type Head = Pick<Proved, "claim" | "position" | "questions">;

export class Course {
  readonly solver: TimedSolver | NoSolver | undefined;
  private readonly limit: TimeLimit;
  private readonly onProgress: CourseOptions["onProgress"];

  constructor(solver: Solver | NoSolver | undefined, { timeLimit, onProgress }: CourseOptions) {
    this.limit = new TimeLimit(timeLimit);
    this.solver = isSolver(solver) ? new TimedSolver(solver, this.limit) : solver;
    this.onProgress = onProgress;
  }

  /** `why`: how it is proved, if it is of all. `of`: what came of a question; undefined: it is proved. */
  async run(
    head: Head,
    why: string,
    asked: Iterable<QuestionProver>,
    of: (prover: QuestionProver) => Promise<Outcome | undefined>,
  ): Promise<Proved> {
    let unproven: Outcome | undefined;
    let done = 0;
    for (const prover of asked) {
      if (this.limit.isOver) {
        unproven ??= { result: "unproven", why: `${nameOf(prover)}: ${this.limit.why}` };
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
export function nameOf({ question: { operation, kind } }: QuestionProver): string {
  return `${operation} on ${kind}`;
}
