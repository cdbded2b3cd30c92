/** A time limit for all questions together. Questions after that are answered with `unknown`. */

import type { SolverQuery } from "../engine/formula/smtlib.js";
import type { Solver, SolverAnswer } from "./solver.js";

export class TimeLimit {
  /** The reason for answers after the time limit. */
  readonly why: string;
  private readonly end: number;

  /** `milliseconds`: from now. Default: no limit. `within`: a limit that this one does not exceed. */
  constructor(milliseconds = Number.POSITIVE_INFINITY, within?: TimeLimit) {
    this.end = Math.min(performance.now() + milliseconds, within?.end ?? Number.POSITIVE_INFINITY);
    this.why = `the time limit for all questions (${milliseconds / 1_000} s) was reached`;
  }

  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  /** The milliseconds until it is over. */
  get left(): number {
    return Math.max(0, this.end - performance.now());
  }
}

/** A solver with a limit for all questions together. The last question may exceed it by its own limit. */
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

  async ask(query: SolverQuery): Promise<SolverAnswer> {
    return this.limit.isOver ? { kind: "unknown", why: this.limit.why } : await this.solver.ask(query);
  }

  close(): void {
    this.solver.close();
  }
}
