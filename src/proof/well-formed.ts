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
import type { QuestionProver, SearchOptions } from "./question-prover.js";
import { repaired } from "./repair.js";
import { schemaFormulas } from "./schema-formulas.js";

/** The result of {@link findWellFormed}. */
export type WellFormedResult =
  /** No request satisfies the goal; this is proved. */
  | { readonly kind: "none" }
  /** This well-formed request does; it was replayed. */
  | { readonly kind: "request"; readonly request: RequestJson }
  /** It is proved that no well-formed request does. This malformed one does; it was replayed. */
  | { readonly kind: "malformed"; readonly request: RequestJson }
  | {
      readonly kind: "unproven";
      readonly why: string;
      /** Whether it is proved that no well-formed request satisfies the goal. */
      readonly isForMalformed: boolean;
      /** A malformed request that satisfies the goal, if one was found. */
      readonly malformed: RequestJson | undefined;
    };

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

/** Searches well-formed requests first, and malformed ones only if no well-formed one is found. */
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
  if (found.kind === "request" || (found.kind === "none" && constraints.length === 0)) return found;
  if (!isSolver(solver) && found.kind === "unproven") {
    return { ...found, isForMalformed: false, malformed: undefined };
  }
  const any = await prover.find(goal, solver, replays, { others, isLikely });
  if (any.kind === "none") return any;
  const isForMalformed = found.kind === "none";
  if (any.kind === "unproven") return { ...any, isForMalformed, malformed: undefined };
  if (isWellFormed(sets, any.request)) return any;
  if (found.kind === "none") return { kind: "malformed", request: any.request };
  return { ...found, isForMalformed, malformed: any.request };
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
