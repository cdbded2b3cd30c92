/**
 * Searches that tell well-formed requests from malformed ones. A request is well-formed if its attributes satisfy the
 * schemas of at least one of the given policy sets.
 */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Formula } from "../engine/formula/formula.js";
import { type SchemaConstraints, schemaConstraints } from "../engine/formula/schema-constraints.js";
import { sanitise } from "../policy/names.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { LAYERS, PRINCIPALS } from "../space/dimension.js";
import type { RequestJson } from "../space/draft.js";
import { schemaFaultsOf } from "./faults.js";
import { layerPolicies, type QuestionProver, type SearchOptions } from "./question-prover.js";
import { repaired } from "./repair.js";

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
  /** The sets whose schemas are asked. */
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

/** The constraints that every well-formed request satisfies: those of one set, or their disjunctions for several sets. */
function constraintsOf(prover: QuestionProver, sets: readonly PolicySet[]): readonly Formula[] {
  const { formulas } = prover.world;
  const [first = new Map<string, Formula>(), ...others] = sets.map((set) => constraintsOfSet(prover, set));
  return [...first].flatMap(([key, constraint]) => {
    const all = others.map((one) => one.get(key) ?? formulas.yes);
    const one = formulas.or(constraint, ...all);
    return one === formulas.yes ? [] : [one];
  });
}

function constraintsOfSet({ world, plans, question }: QuestionProver, set: PolicySet): SchemaConstraints {
  const { formulas } = world;
  const found = new Map<string, Formula>();
  const indexed = { kind: sanitise(question.kind), action: question.operation };
  for (const name of LAYERS) {
    const layer = set[name];
    if (layer === undefined) continue;
    for (const [key, constraint] of schemaConstraints(
      world,
      plans,
      layerPolicies(set, layer),
      PRINCIPALS[name],
      indexed,
    )) {
      found.set(key, formulas.and(found.get(key) ?? formulas.yes, constraint));
    }
  }
  return found;
}
