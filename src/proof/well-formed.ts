/**
 * Searches that tell well-formed requests from malformed ones. A request is well-formed if its attributes satisfy the
 * schemas of at least one of the given policy sets.
 */

import type { PolicySet } from "../decisions/policy-set.js";
import { schemaFaultsOf } from "../decisions/schema-faults.js";
import type { Formula } from "../engine/formula/formula.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import type { RequestJson } from "../space/draft.js";
import type { KeyedQuestion, QuestionProver, Replay, SearchOptions, SearchResult } from "./question-prover.js";
import { repaired } from "./repair.js";
import { schemaFormulas } from "./schema-formulas.js";
import { type FoundRequests, shrunkRequests } from "./shrink.js";

/**
 * The result of {@link findWellFormed}; a request of kind `request` is well-formed. `unproven` may have a malformed
 * request that satisfies the goal.
 */
export type WellFormedResult =
  | Exclude<SearchResult, { readonly kind: "unproven" }>
  /** It is proved that no well-formed request satisfies the goal. This malformed one does; it was replayed. */
  | ({ readonly kind: "malformed" } & FoundRequests)
  | { readonly kind: "unproven"; readonly why: string; readonly malformed?: RequestJson };

/** The part of a search that does not depend on the question. */
export interface WellFormedGoal extends Pick<SearchOptions, "others" | "isLikely" | "second"> {
  readonly goal: Formula;
  /** The sets: a well-formed request satisfies the schemas of at least one. */
  readonly sets: readonly PolicySet[];
  /** Confirms a request by evaluation. */
  readonly replays: Replay;
}

/** Do the attributes of a request satisfy the schemas of at least one of `sets`? */
export function isWellFormed(sets: readonly PolicySet[], request: RequestJson): boolean {
  return sets.some((set) => schemaFaultsOf(set, request).length === 0);
}

/** Searches well-formed requests first, and malformed ones only if no well-formed one is found. Shrinks its request. */
export async function findWellFormed(
  prover: QuestionProver,
  solver: Solver | NoSolver | undefined,
  { goal, sets, replays, others = [], isLikely = false, second }: WellFormedGoal,
): Promise<WellFormedResult> {
  const areRight = (...all: readonly (RequestJson | undefined)[]) =>
    all.every((request) => request === undefined || isWellFormed(sets, request));
  const shows: Replay = (request, other) => areRight(request, other) && replays(request, other);
  if (!isLikely && isSolver(solver)) {
    const answer = await prover.ask(goal, solver, { others, texts: "symbols" });
    if (answer.kind === "unsatisfiable") return { kind: "none" };
  }
  prover.close();
  const constraints = [...constraintsOf(prover, sets), ...secondConstraints(prover, sets, second)];
  const found = await prover.find(goal, solver, shows, {
    others: [...others, ...constraints],
    isLikely,
    second,
    variants: (request) => [...sets.flatMap((set) => repaired(set, questionOf(request), request)), request],
  });
  if (found.kind === "request") return { ...found, ...shrunkRequests(found, shows) };
  if (found.kind === "none" ? constraints.length === 0 : !isSolver(solver)) return found;
  const any = await prover.find(goal, solver, replays, { others, isLikely, second });
  if (any.kind !== "request") return any;
  if (areRight(any.request, any.second)) return { ...any, ...shrunkRequests(any, shows) };
  const malformed = shrunkRequests(any, replays);
  return found.kind === "none" ? { kind: "malformed", ...malformed } : { ...found, malformed: malformed.request };
}

function questionOf({ resource, operation }: RequestJson): OperationQuestion {
  return { kind: resource.kind, operation };
}

function secondConstraints(
  prover: QuestionProver,
  sets: readonly PolicySet[],
  second: KeyedQuestion | undefined,
): readonly Formula[] {
  return second === undefined ? [] : constraintsOf(prover, sets, second.question).map((one) => second.view(one));
}

/**
 * The constraints that every well-formed request satisfies. A request needs to satisfy the schemas of one set, so
 * constraints that not all sets share are joined by "or".
 */
function constraintsOf(
  prover: QuestionProver,
  sets: readonly PolicySet[],
  question: OperationQuestion = prover.question,
): readonly Formula[] {
  const { formulas } = prover.world;
  const bySet = sets.map((set) => new Set(schemaFormulas(set, question, prover)));
  const [first = new Set<Formula>()] = bySet;
  const shared = [...first].filter((one) => bySet.every((all) => all.has(one)));
  const own = bySet.map((all) => formulas.and(...[...all].filter((one) => !shared.includes(one))));
  return [...shared, formulas.or(...own)].filter((one) => one !== formulas.yes);
}
