/** Compares the layers of two policy sets, operation by operation. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { notAsked } from "../../proof/question-prover.js";
import { allQuestions } from "../../proof/questions.js";
import { isSolver, type NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimedSolver, TimeLimit } from "../../solver/timed-solver.js";
import { BRIEF, type Effort, THOROUGH } from "./layer-search.js";
import { CLASSES, type PolicySets, QuestionDiff } from "./question-diff.js";
import { DiffResults } from "./results.js";
import { areSame } from "./same.js";
import { searchQuestion } from "./search.js";
import type { LayerDiff } from "./types.js";

export interface SearchDiffOptions {
  /** Report changes of reasons, too, where the outcome stays. Default: `false`. */
  readonly reasons?: boolean;
}

export interface DiffOptions extends SearchDiffOptions {
  /** Milliseconds for the whole comparison. Questions not settled by then are `unproven`. Default: no limit. */
  readonly timeLimit?: number;
  /**
   * Called with the number of operations that the search compared, then with the number of remaining ones put to a
   * solver, then with the number of changes for which the extent was looked for.
   */
  readonly onProgress?: (what: "compared" | "asked" | "extended", done: number, total: number) => void;
}

/** The milliseconds for the extents of all changes of class `fault`. */
const FAULTS_TIME = 10_000;

/** Compares the layers of two sets by a search: see `searchDecisionChanges`. */
export function searchLayers(before: PolicySet, after: PolicySet, options: SearchDiffOptions): LayerDiff {
  const results = new DiffResults(notAsked(undefined), options.reasons === true);
  search({ before, after }, results, { ...options, effort: THOROUGH });
  return results.result();
}

/**
 * Compares the layers of two sets by a search and a solver: see `diffPolicies`. The function that it returns looks for
 * the extent of each change, and gives the result.
 */
export async function diffLayers(
  sets: PolicySets,
  solver: Solver | NoSolver | undefined,
  limit: TimeLimit,
  options: DiffOptions,
): Promise<() => Promise<LayerDiff>> {
  const isAsked = isSolver(solver);
  const results = new DiffResults(notAsked(isAsked ? undefined : solver), options.reasons === true);
  const open = search(sets, results, { ...options, limit, effort: isAsked ? BRIEF : THOROUGH });
  if (!isAsked) return () => Promise.resolve(results.result());
  const timed = new TimedSolver(solver, limit);
  for (const [done, one] of open.entries()) {
    options.onProgress?.("asked", done, open.length);
    for (const name of results.missing(one)) {
      const found = limit.isOver ? undefined : await one.find(name, timed);
      if (found === undefined) results.leaveOpen(one, name, limit.why);
      else if (found.kind === "none") results.prove(one, name);
      else if (found.kind !== "unproven") results.show(one, name, found.request, found.kind === "malformed");
      else if (found.malformed !== undefined) results.show(one, name, found.malformed, false);
      else results.leaveOpen(one, name, found.why);
    }
  }
  return async () => {
    const shown = open.flatMap((one) => results.shown(one).map((name) => ({ one, name })));
    let done = 0;
    const extend = async (changes: typeof shown, by: TimedSolver) => {
      for (const { one, name } of changes) {
        options.onProgress?.("extended", done++, shown.length);
        results.extend(one, name, await one.extent(name, by));
      }
    };
    await extend(
      shown.filter(({ name }) => name !== "fault"),
      timed,
    );
    // A fault can have many causes.
    const briefly = new TimedSolver(solver, new TimeLimit(FAULTS_TIME, limit));
    await extend(
      shown.filter(({ name }) => name === "fault"),
      briefly,
    );
    return results.result();
  };
}

interface TimedSearchOptions extends DiffOptions {
  readonly limit?: TimeLimit;
  readonly effort: Effort;
}

/** Searches for changes. Returns the questions that the text of the rules alone does not settle. */
function search(
  sets: PolicySets,
  results: DiffResults,
  { reasons = false, effort, limit, onProgress }: TimedSearchOptions,
): readonly QuestionDiff[] {
  const open: QuestionDiff[] = [];
  const { questions, proverOf, gaps } = allQuestions([sets.before, sets.after]);
  if (areSame(sets.before, sets.after)) {
    for (const question of questions) results.ask({ question, unsettled: [] });
    return open;
  }
  for (const gap of gaps) results.gap(gap);
  for (const [done, question] of questions.entries()) {
    onProgress?.("compared", done, questions.length);
    if (limit?.isOver === true) {
      results.ask({ question, unsettled: CLASSES }, limit.why);
      continue;
    }
    const one = new QuestionDiff(sets, () => proverOf(question));
    results.ask(one);
    if (!one.isSettled) open.push(one);
    if (!one.isSettled || reasons) searchQuestion(one, { effort, reasons }, results);
  }
  return open;
}
