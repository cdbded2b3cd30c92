/**
 * Searches that tell well-formed requests from malformed ones. A request is well-formed if its attributes satisfy the
 * schemas of at least one of the given policy sets.
 */

import type { PolicySet } from "../decisions/policy-set.js";
import { schemaFaultsOf } from "../decisions/schema-faults.js";
import type { Formula } from "../engine/formula/formula.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import type { RequestJson } from "../space/draft.js";
import type { QuestionProver, SearchOptions, SearchResult } from "./question-prover.js";
import { repaired } from "./repair.js";
import { schemaFormulas } from "./schema-formulas.js";
import { shrunk } from "./shrink.js";

/**
 * The result of {@link findWellFormed}; a request of kind `request` is well-formed. `unproven` may have a malformed
 * request that satisfies the goal.
 */
export type WellFormedResult =
  | Exclude<SearchResult, { readonly kind: "unproven" }>
  /** It is proved that no well-formed request satisfies the goal. This malformed one does; it was replayed. */
  | { readonly kind: "malformed"; readonly request: RequestJson }
  | { readonly kind: "unproven"; readonly why: string; readonly malformed?: RequestJson };

/** The part of a search that does not depend on the question. */
export interface WellFormedGoal extends Pick<SearchOptions, "others" | "isLikely"> {
  readonly goal: Formula;
  /** The sets: a well-formed request satisfies the schemas of at least one. */
  readonly sets: readonly PolicySet[];
  /** Confirms a request by evaluation. */
  readonly replays: (request: RequestJson) => boolean;
}

/** Do the attributes of a request satisfy the schemas of at least one of `sets`? */
export function isWellFormed(sets: readonly PolicySet[], request: RequestJson): boolean {
  return sets.some((set) => schemaFaultsOf(set, request).length === 0);
}

/** Searches well-formed requests first, and malformed ones only if no well-formed one is found. Shrinks its request. */
export async function findWellFormed(
  prover: QuestionProver,
  solver: Solver | NoSolver | undefined,
  { goal, sets, replays, others = [], isLikely = false }: WellFormedGoal,
): Promise<WellFormedResult> {
  const shows = (request: RequestJson) => isWellFormed(sets, request) && replays(request);
  if (!isLikely && isSolver(solver)) {
    const answer = await prover.ask(goal, solver, { others, texts: "symbols" });
    if (answer.kind === "unsatisfiable") return { kind: "none" };
  }
  prover.close();
  const constraints = constraintsOf(prover, sets);
  const found = await prover.find(goal, solver, shows, {
    others: [...others, ...constraints],
    isLikely,
    variants: (request) => [...sets.flatMap((set) => repaired(set, prover.question, request)), request],
  });
  if (found.kind === "request") return { ...found, request: shrunk(found.request, shows) };
  if (found.kind === "none" ? constraints.length === 0 : !isSolver(solver)) return found;
  const any = await prover.find(goal, solver, replays, { others, isLikely });
  if (any.kind !== "request") return any;
  if (isWellFormed(sets, any.request)) return { ...any, request: shrunk(any.request, shows) };
  const malformed = shrunk(any.request, replays);
  return found.kind === "none" ? { kind: "malformed", request: malformed } : { ...found, malformed };
}

/**
 * The constraints that every well-formed request satisfies. A request needs to satisfy the schemas of one set, so
 * constraints that not all sets share are joined by "or".
 */
function constraintsOf(prover: QuestionProver, sets: readonly PolicySet[]): readonly Formula[] {
  const { formulas } = prover.world;
  const bySet = sets.map((set) => new Set(schemaFormulas(set, prover.question, prover)));
  const [first = new Set<Formula>()] = bySet;
  const shared = [...first].filter((one) => bySet.every((all) => all.has(one)));
  const own = bySet.map((all) => formulas.and(...[...all].filter((one) => !shared.includes(one))));
  return [...shared, formulas.or(...own)].filter((one) => one !== formulas.yes);
}
