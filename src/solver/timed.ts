/** How long questions may take all together: what would be asked after that is not known. */

import type { Query } from "../engine/formula/smtlib.js";
import type { Answer, Solver } from "./solver.js";

export class TimeLimit {
  /** Why nothing is known once the time is over. */
  readonly why: string;
  private readonly end: number;

  /** `milliseconds`: from now. Default: as long as it takes. */
  constructor(milliseconds = Number.POSITIVE_INFINITY) {
    this.end = performance.now() + milliseconds;
    this.why = `the ${milliseconds / 1_000} s for all questions together were over`;
  }

  get isOver(): boolean {
    return performance.now() >= this.end;
  }
}

/** A solver that may be asked for a while. The last question may take its own limit longer. */
export class TimedSolver implements Solver {
  readonly version: string;
  readonly timeLimit: number;
  readonly limit: TimeLimit;
  private readonly solver: Solver;

  constructor(solver: Solver, limit: TimeLimit) {
    this.solver = solver;
    this.version = solver.version;
    this.timeLimit = solver.timeLimit;
    this.limit = limit;
  }

  async ask(query: Query): Promise<Answer> {
    return this.limit.isOver ? { kind: "unknown", why: this.limit.why } : await this.solver.ask(query);
  }

  close(): void {
    this.solver.close();
  }
}
