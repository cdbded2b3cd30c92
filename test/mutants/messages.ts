/** What the command and its workers say to each other. */

export interface Start {
  /** The file with the bundle. */
  readonly code: string;
  readonly outside: readonly string[];
  /** How many mutants there are. */
  readonly mutants: number;
  /** Files whose long tests are left out. */
  readonly short: readonly string[];
}

/** The test of this index in its file. */
export interface Test {
  readonly file: string;
  readonly test: number;
}

/** Tests of a file, by their index. */
export interface Run {
  readonly file: string;
  readonly tests: readonly number[];
}

export type Request =
  /** `leftOut`: tests that are known to take too long. */
  | { readonly type: "record"; readonly file: string; readonly leftOut: readonly number[] }
  | {
      readonly type: "judge";
      readonly mutant: number;
      /** Asked of an evaluation that others were asked of before. What they do not notice, `runs` may. */
      readonly quick: readonly Test[];
      /** Asked of a fresh one. */
      readonly runs: readonly Run[];
      /** How often bodies of loops and functions may run while a file is loaded, and in each of the tests. */
      readonly most: number;
    };

/** The failure of a test that was not run. */
export const LEFT_OUT = "left out";

/** What a part of a run reached and took. */
export interface Record {
  /** Numbers of mutants. */
  readonly reached: readonly number[];
  readonly steps: number;
  /** Of the processor. */
  readonly milliseconds: number;
  /** Why a test failed. */
  readonly failure?: string;
}

export interface Recorded {
  readonly load: Record;
  readonly tests: readonly Record[];
  /** The same tests once more. */
  readonly again: readonly Record[];
}

export interface Verdict {
  /** The test that failed; -1 where the file could not be loaded. */
  readonly by: Test | undefined;
  readonly isQuick: boolean;
  readonly why: string;
}

export interface Answer {
  readonly recorded?: Recorded;
  readonly verdict?: Verdict;
  /** What went wrong without a mutant. */
  readonly failure?: string;
  /** Of the processor, since the last answer. */
  readonly milliseconds: number;
  /** Bytes. */
  readonly memory: number;
}
