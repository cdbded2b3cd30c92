/** The result of a run of mutants. */

import type { RequestJson } from "../space/draft.js";
import type { MutantAnswer } from "./answer.js";
import type { MutantPlace } from "./mutants.js";

export interface KilledMutant extends MutantPlace {
  /** The test or claim that fails. */
  readonly by: string;
}

/** A mutant that no test and no claim notices, although it decides a request otherwise. */
export interface Survivor extends MutantPlace {
  readonly request: RequestJson;
  /** True if the schemas refuse the request: no allowed one was found. */
  readonly malformed: boolean;
  /** The answers of the policies and of the mutant. */
  readonly before: MutantAnswer;
  readonly after: MutantAnswer;
  /** A suite with a case that kills the mutant. */
  readonly suite: string;
}

/** A mutant without a request that shows a difference, and without a proof that there is none. */
export interface UnprovenMutant extends MutantPlace {
  readonly why: string;
}

export interface MutationReport {
  /** The number of mutants that load: the sum of the four kinds. */
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: readonly MutantPlace[];
  readonly survivors: readonly Survivor[];
  readonly unproven: readonly UnprovenMutant[];
  /** `killed` in percent of the mutants that are not equivalent; 100 if there are none. */
  readonly score: number;
  readonly kills: readonly KilledMutant[];
}

export function reportOf(
  found: Pick<MutationReport, "kills" | "equivalent" | "survivors" | "unproven">,
): MutationReport {
  const { kills, equivalent, survivors, unproven } = found;
  const others = kills.length + survivors.length + unproven.length;
  return {
    mutants: others + equivalent.length,
    killed: kills.length,
    equivalent,
    survivors,
    unproven,
    score: others === 0 ? 100 : (100 * kills.length) / others,
    kills,
  };
}
