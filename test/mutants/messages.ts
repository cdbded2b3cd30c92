/** Messages between the command and its workers. */

export interface Start {
  /** The path of the bundle. */
  readonly code: string;
  readonly outside: readonly string[];
  /** The number of mutants. */
  readonly mutants: number;
  /** Files without their long tests. */
  readonly short: readonly string[];
}

/** A test by its index in its file. */
export interface Test {
  readonly file: string;
  readonly test: number;
}

/** Tests of one file, by index. */
export interface Run {
  readonly file: string;
  readonly tests: readonly number[];
}

export type Request =
  /** `leftOut`: tests that are known to be too slow. */
  | { readonly type: "record"; readonly file: string; readonly leftOut: readonly number[] }
  | {
      readonly type: "judge";
      readonly mutant: number;
      /** Tests for an evaluation that earlier mutants also used. `runs` may notice faults that these tests miss. */
      readonly quick: readonly Test[];
      /** Tests for a fresh evaluation. */
      readonly runs: readonly Run[];
      /** The most runs of loop and function bodies while a file loads, and in each test. */
      readonly most: number;
    };

/** The recorded failure of a test that was skipped as too slow. */
export const LEFT_OUT = "left out";

/** The mutants that a part of a run reached, and its cost. */
export interface Record {
  /** Numbers of mutants. */
  readonly reached: readonly number[];
  readonly steps: number;
  /** CPU time. */
  readonly milliseconds: number;
  /** The failure of a test. */
  readonly failure?: string;
}

export interface Recorded {
  readonly load: Record;
  readonly tests: readonly Record[];
  /** The same tests, run once more. */
  readonly again: readonly Record[];
}

export interface Verdict {
  /** The test that failed; -1 if the file did not load. */
  readonly by: Test | undefined;
  readonly isQuick: boolean;
  readonly why: string;
}

export interface Answer {
  readonly recorded?: Recorded;
  readonly verdict?: Verdict;
  /** An error without a mutant. */
  readonly failure?: string;
  /** CPU time since the last answer. */
  readonly milliseconds: number;
  /** In bytes. */
  readonly memory: number;
}
