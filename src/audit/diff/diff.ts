/** What a change of policies changes in decisions, operation by operation. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { notAsked } from "../../proof/question-prover.js";
import { allQuestions } from "../../proof/questions.js";
import { isSolver, type NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimedSolver, TimeLimit } from "../../solver/timed.js";
import { BRIEF, type Effort, THOROUGH } from "./layer-search.js";
import { CLASSES, type PolicySets, QuestionDiff } from "./question-diff.js";
import { DiffResults } from "./results.js";
import { areSame } from "./same.js";
import { searchQuestion } from "./search.js";
import type { PolicyDiff } from "./types.js";

export interface DiffOptions {
  /** Whether verdicts that have other reasons, with the same outcome, are looked for. Default: `false`. */
  readonly reasons?: boolean;
}

export interface ProvenDiffOptions extends DiffOptions {
  /** Milliseconds for all of it. What is not decided until then is `unproven`. Default: as long as it takes. */
  readonly timeLimit?: number;
  /** Told how many operations were compared by a search, and then of how many of those that are left a solver was asked. */
  readonly onProgress?: (what: "compared" | "asked", done: number, total: number) => void;
}

/**
 * Compares the decisions of two policy sets, by a search. That nothing changes is proved of operations whose rules say
 * the same in the same words; of others it is `unproven`: see {@link provenDiff}. Pure.
 */
export function diffPolicies(before: PolicySet, after: PolicySet, options: DiffOptions = {}): PolicyDiff {
  const results = new DiffResults(notAsked(undefined));
  search({ before, after }, results, { ...options, effort: THOROUGH });
  return results.result();
}

/**
 * {@link diffPolicies}, which asks a solver about all that the search leaves open. Each change that it finds was decided
 * by both sets. Without a solver, all of it stays unproven.
 */
export async function provenDiff(
  before: PolicySet,
  after: PolicySet,
  solver: Solver | NoSolver | undefined,
  options: ProvenDiffOptions = {},
): Promise<PolicyDiff> {
  const limit = new TimeLimit(options.timeLimit);
  const isAsked = isSolver(solver);
  const results = new DiffResults(notAsked(isAsked ? undefined : solver));
  const open = search({ before, after }, results, { ...options, limit, effort: isAsked ? BRIEF : THOROUGH });
  if (!isAsked) return results.result();
  const timed = new TimedSolver(solver, limit);
  for (const [done, one] of open.entries()) {
    options.onProgress?.("asked", done, open.length);
    for (const name of results.missing(one)) {
      const found = limit.isOver ? undefined : await one.find(name, timed);
      if (found === undefined) results.leaveOpen(one, name, limit.why);
      else if (found.kind === "none") results.prove(one, name);
      else if (found.kind === "unproven") results.leaveOpen(one, name, found.why);
      else results.show(one, name, found.request);
    }
  }
  return results.result();
}

interface TimedSearchOptions extends ProvenDiffOptions {
  readonly limit?: TimeLimit;
  readonly effort: Effort;
}

/** Searches for changes. Returns the questions of which not all is proved by the words of the rules alone. */
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
    const one = new QuestionDiff(sets, proverOf(question));
    results.ask(one);
    if (!one.isSettled) open.push(one);
    if (!one.isSettled || reasons) searchQuestion(one, { effort, reasons }, results);
  }
  return open;
}
