/** A solver that may be asked for a while: what is asked after that is not known. */

import type { Query } from "../engine/formula/smtlib.js";
import type { Answer, Solver } from "./solver.js";

export class TimedSolver implements Solver {
  readonly version: string;
  readonly timeLimit: number;
  /** Why nothing is known once the time is over. */
  readonly why: string;
  private readonly solver: Solver;
  private readonly end: number;

  /** `milliseconds`: from now, for all questions together. The last one may take its own limit longer. */
  constructor(solver: Solver, milliseconds: number) {
    this.solver = solver;
    this.version = solver.version;
    this.timeLimit = solver.timeLimit;
    this.end = performance.now() + milliseconds;
    this.why = `the ${milliseconds / 1_000} s for all questions together were over`;
  }

  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  async ask(query: Query): Promise<Answer> {
    return this.isOver ? { kind: "unknown", why: this.why } : await this.solver.ask(query);
  }

  close(): void {
    this.solver.close();
  }
}
