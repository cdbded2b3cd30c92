/**
 * Formulas for the decisions of several policy sets on one question (an operation on a kind), and how to ask a solver
 * about them.
 */

import { isUnknown } from "../decisions/fault.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { withoutInexactTexts } from "../engine/formula/alphabet.js";
import { type Formula, type FormulaUnknown, unknownsIn } from "../engine/formula/formula.js";
import { type FormulaLayer, PlanFormulas, type RoleClass, type TruthOf } from "../engine/formula/plan-formulas.js";
import type { SolverQuery } from "../engine/formula/smtlib.js";
import type { ExpressionPart } from "../engine/formula/untranslated.js";
import { FormulaWorld } from "../engine/formula/world.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { addTo } from "../policy/groups.js";
import { positionText } from "../policy/issue.js";
import { sanitise } from "../policy/names.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Solver, SolverAnswer } from "../solver/solver.js";
import { LAYERS, PRINCIPALS, type SpaceLayer } from "../space/dimension.js";
import type { RequestJson } from "../space/draft.js";
import { Decoder, type RequestView } from "./decode.js";
import { layerPolicies } from "./layer-policies.js";
import { repaired } from "./repair.js";
import { enforcedFacts, enforcementOf, type SchemaEnforcement } from "./schema-formulas.js";

/** When a set decides for each outcome. */
export interface Outcomes {
  /** When each layer allows. */
  readonly permitted: Formula;
  readonly supported: Formula;
  readonly allow: Formula;
  readonly insufficient: Formula;
  readonly forbidden: Formula;
  /** When the decision is a refusal with a fault. */
  readonly faulty: Formula;
}

/** The result of a search for a request that satisfies a formula. */
export type SearchResult =
  /** No such request exists; this is proved. */
  | { readonly kind: "none" }
  /** This request does; it was replayed. */
  | { readonly kind: "request"; readonly request: RequestJson; readonly second?: RequestJson }
  | { readonly kind: "unproven"; readonly why: string };

export interface SearchOptions {
  readonly others?: readonly Formula[];
  readonly isLikely?: boolean;
  readonly variants?: (found: RequestJson) => readonly RequestJson[];
  readonly second?: KeyedQuestion | undefined;
}

/** A second request with the same key, about a question of its own. */
export interface KeyedQuestion {
  readonly question: OperationQuestion;
  /** Its formulas. */
  readonly view: RequestView;
  readonly preferences: readonly Formula[];
}

/** Confirms a request by evaluation. `second`: the second request of a {@link KeyedQuestion}. */
export type Replay = (request: RequestJson, second?: RequestJson) => boolean;

/** Why the search result leaves something unproven. */
export function whyOf(found: SearchResult): string {
  return found.kind === "unproven" ? found.why : "undecided: the solver found no request that shows a difference";
}

/** Proves formulas for one question, or finds requests that satisfy them. */
export class QuestionProver {
  readonly world = new FormulaWorld();
  readonly question: OperationQuestion;
  readonly plans: PlanFormulas;
  private readonly hasAccount: boolean;
  private readonly names = new Map<Formula, readonly string[]>();
  /** The sets with translated decisions. */
  private readonly sets = new Set<PolicySet>();
  private isClosed = false;

  constructor(question: OperationQuestion, roles: readonly RoleClass[], hasAccount: boolean) {
    this.question = question;
    this.plans = new PlanFormulas(this.world, roles);
    this.hasAccount = hasAccount;
    const { formulas } = this.world;
    this.world.prefer(formulas.same(this.world.field("resource", "kind"), this.world.text(question.kind)));
    for (const subject of ["key", "account", "resource"] as const) {
      this.world.prefer(formulas.same(this.world.field(subject, "scope"), this.world.text("")));
    }
  }

  /** When a set decides how. `truthOf`: see {@link PlanFormulas.allows}. */
  outcomes(set: PolicySet, truthOf?: (layer: SpaceLayer) => TruthOf): Outcomes {
    const { formulas } = this.world;
    this.sets.add(set);
    const permitted = this.allows(set, "permission", truthOf);
    const supported = this.allows(set, "platform", truthOf);
    const { kind, operation } = this.question;
    const insufficient = formulas.and(supported, formulas.not(permitted));
    const forbidden = formulas.not(supported);
    const faulty = isUnknown(set, kind, operation)
      ? formulas.not(formulas.and(supported, permitted))
      : formulas.or(
          formulas.and(forbidden, this.errs(set, "platform", truthOf)),
          formulas.and(insufficient, this.errs(set, "permission", truthOf)),
        );
    return { permitted, supported, allow: formulas.and(supported, permitted), insufficient, forbidden, faulty };
  }

  /** The layer of the enforced schemas in a formula: see {@link enforcementOf}. */
  enforcementOf(satisfied: Formula): SchemaEnforcement | undefined {
    return enforcementOf(satisfied, this.sets, this.question, this);
  }

  private errs(set: PolicySet, name: SpaceLayer, truthOf?: (layer: SpaceLayer) => TruthOf): Formula {
    const layer = set[name];
    if (layer === undefined) return this.world.formulas.no;
    const { kind, operation } = this.question;
    const asked = { kind: sanitise(kind), action: operation };
    return this.plans.errs(layerPolicies(set, layer), PRINCIPALS[name], asked, truthOf?.(name));
  }

  private allows(set: PolicySet, name: SpaceLayer, truthOf?: (layer: SpaceLayer) => TruthOf): Formula {
    const layer = set[name];
    if (layer === undefined) return this.world.formulas.yes;
    return this.allowsBy(layerPolicies(set, layer), name, truthOf?.(name));
  }

  /** When a layer allows. */
  allowsBy(policies: FormulaLayer, name: SpaceLayer, truthOf?: TruthOf): Formula {
    const { kind, operation } = this.question;
    return this.plans.allows(policies, PRINCIPALS[name], { kind: sanitise(kind), action: operation }, truthOf);
  }

  /**
   * Adds the facts that follow from everything translated so far, of `set` or of all. No formula may be translated
   * afterwards.
   */
  close(set?: PolicySet): void {
    if (this.isClosed) return;
    if (set !== undefined) this.outcomes(set);
    this.plans.close();
    for (const one of this.sets) for (const fact of enforcedFacts(one, this.question, this)) this.world.fact(fact);
    this.isClosed = true;
  }

  /** Asks a solver about `goal`, with all facts that bear on it, and `others`. */
  async ask(
    goal: Formula,
    solver: Solver,
    {
      others = [],
      wanted = [],
      texts,
    }: { others?: readonly Formula[]; wanted?: readonly Formula[] } & Pick<SolverQuery, "texts">,
  ): Promise<SolverAnswer> {
    if (goal === this.world.formulas.no) return { kind: "unsatisfiable" };
    this.close();
    const { holds } = this.about(goal, [...this.world.facts, ...others]);
    const answer = await solver.ask({ holds, wanted, texts });
    return texts === "whole" && answer.kind === "unsatisfiable" ? await this.confirmed(holds, solver) : answer;
  }

  /** The answer to an unsatisfiable query about texts: it is a proof only if it holds of all characters. */
  private async confirmed(holds: readonly Formula[], solver: Solver): Promise<SolverAnswer> {
    const rougher = withoutInexactTexts(this.world.formulas, holds);
    if (rougher === undefined) return { kind: "unsatisfiable" };
    const answer = await solver.ask({ holds: rougher, wanted: [], texts: "whole" });
    return answer.kind === "satisfiable" ? { kind: "unknown", why: TEXTS_BEYOND } : answer;
  }

  /** Is it proved that no request satisfies `goal`? */
  async excludes(goal: Formula, solver: Solver): Promise<boolean> {
    for (const texts of ["symbols", "whole"] as const) {
      if ((await this.ask(goal, solver, { texts })).kind === "unsatisfiable") return true;
    }
    return false;
  }

  /**
   * Looks for a request that satisfies `goal` and `others`. A request from the solver counts only if `replays` confirms
   * it by evaluation. `isLikely`: look for a request before trying to prove that there is none. `variants`: the requests
   * to replay in the place of the solver's, in this order. Default: that request, completed for enforced schemas.
   */
  async find(
    goal: Formula,
    solver: Solver | NoSolver | undefined,
    replays: Replay,
    { others = [], isLikely = false, variants = (request) => this.completed(request), second }: SearchOptions = {},
  ): Promise<SearchResult> {
    const { formulas } = this.world;
    const preferences = [...this.world.preferences, ...(second?.preferences ?? [])];
    if (goal === formulas.no) return { kind: "none" };
    if (!isSolver(solver)) return { kind: "unproven", why: NO_SOLVER };
    // Well-formed requests are looked for first: values that satisfy the facts alone may not form a request.
    const wishes = [
      { preferences, isPlain: true, second },
      { preferences, isPlain: false, second },
      { preferences: [], isPlain: false, second },
    ];
    let why: string | undefined;
    for (const [i, wish] of wishes.entries()) {
      if (i === (isLikely ? 1 : 0)) {
        const answer = await this.ask(goal, solver, { others, texts: "symbols" });
        if (answer.kind === "unsatisfiable") return { kind: "none" };
      }
      const found = await this.requests(goal, solver, others, wish);
      if (typeof found === "string") {
        why = found;
        continue;
      }
      const [first, next] = found;
      if (first === undefined && wish.preferences.length === 0) return { kind: "none" };
      const shown = first && confirmed(variants(first), next && variants(next), replays);
      if (shown !== undefined) return { kind: "request", ...shown };
    }
    return { kind: "unproven", why: why ?? `undecided: ${this.untold(goal)}` };
  }

  /** The request, and the request with values for the attributes that enforced schemas require. */
  completed(request: RequestJson): readonly RequestJson[] {
    const enforcing = [...this.sets].filter((set) => LAYERS.some((layer) => set[layer]?.enforcesSchemas));
    const question = { kind: request.resource.kind, operation: request.operation };
    return [request, ...enforcing.flatMap((set) => repaired(set, question, request))];
  }

  /** The parts of a goal that the solver is not told about. */
  private untold(goal: Formula): string {
    const unknowns = new Set(unknownsIn([goal]));
    const isUnknown = (one: Formula) => one.op === "unknown" && unknowns.has(one);
    const wholes = this.world.wholes.filter(({ fit }) => isUnknown(fit));
    const twice = wholes.find(({ raw, fit }) => wholes.some((other) => other.raw === raw && other.fit !== fit));
    if (twice === undefined) {
      const parts = this.world.untranslated.in(goal);
      return unknownGlobals([...unknowns], parts) ?? notUnderstood(parts);
    }
    return `schemas declare ${twice.raw.key.replaceAll(/\."(\w+)"/g, ".$1")} in different ways`;
  }

  /** Values that satisfy `goal`, as requests. An empty list: this is proved to be impossible. A string: why it is unknown. */
  private async requests(
    goal: Formula,
    solver: Solver,
    others: readonly Formula[],
    {
      preferences,
      isPlain,
      second,
    }: { readonly preferences: readonly Formula[]; readonly isPlain: boolean } & Pick<SearchOptions, "second">,
  ): Promise<readonly RequestJson[] | string> {
    this.close();
    const { holds, unknowns } = this.about(goal, [...this.world.facts, ...others, ...preferences]);
    const decoder = new Decoder(this.world, this.plans, unknowns, second === undefined ? [] : [second.view]);
    const plain = isPlain ? decoder.numbers.map((number) => this.isPlain(number)) : [];
    const answer = await solver.ask({ holds: [...holds, ...plain], wanted: decoder.wanted, texts: "whole" });
    if (answer.kind === "unknown") return answer.why;
    if (answer.kind === "unsatisfiable") {
      if (isPlain || preferences.length > 0) return [];
      const confirmation = await this.confirmed(holds, solver);
      return confirmation.kind === "unknown" ? confirmation.why : [];
    }
    const questions = [this.question, ...(second === undefined ? [] : [second.question])];
    return decoder.requests(questions, this.hasAccount, answer.values);
  }

  /** A number as people write them. Solvers prefer them too: the arithmetic of arbitrary doubles is slow. */
  private isPlain(number: Formula): Formula {
    const { formulas } = this.world;
    const most = formulas.number(PLAIN);
    return formulas.and(
      formulas.whole(number),
      formulas.atMost(formulas.number(0), number),
      formulas.atMost(number, most),
    );
  }

  /** The names of the unknowns in a formula. */
  private namesIn(formula: Formula): readonly string[] {
    const known = this.names.get(formula) ?? unknownsIn([formula]).map(({ name }) => name);
    this.names.set(formula, known);
    return known;
  }

  /**
   * The goal, followed by the formulas that bear on it directly or through other formulas: no other formula can keep
   * the goal from holding. With the unknowns of all of them.
   */
  about(goal: Formula, others: readonly Formula[]): { holds: readonly Formula[]; unknowns: ReadonlySet<Formula> } {
    const byName = new Map<string, number[]>();
    const names = others.map((one) => this.namesIn(one));
    for (const [i, all] of names.entries()) for (const name of all) addTo(byName, name, i);
    const kept = new Set<number>();
    const reached = new Set(unknownsIn([goal]).map(({ name }) => name));
    for (const name of reached) {
      for (const i of byName.get(name) ?? []) {
        if (kept.has(i)) continue;
        kept.add(i);
        for (const other of names[i] ?? []) reached.add(other);
      }
    }
    const holds = [goal, ...others.filter((_, i) => kept.has(i))];
    return { holds, unknowns: new Set(unknownsIn(holds)) };
  }
}

/** The first request, or pair of requests with the key of the first, that an evaluation confirms. */
function confirmed(
  requests: readonly RequestJson[],
  seconds: readonly RequestJson[] | undefined,
  replays: Replay,
): { readonly request: RequestJson; readonly second?: RequestJson } | undefined {
  for (const request of requests) {
    if (seconds === undefined && replays(request)) return { request };
    for (const one of seconds ?? []) {
      const second = { ...one, key: request.key };
      if (replays(request, second)) return { request, second };
    }
  }
  return undefined;
}

/** The most characters of an expression that a message quotes. */
const MAX_QUOTED = 120;

/** Says that the solver does not understand these parts of expressions, with the first one. */
/** Why a question that reads globals without known values is undecided. Undefined: it reads none. */
function unknownGlobals(unknowns: readonly FormulaUnknown[], [part]: readonly ExpressionPart[]): string | undefined {
  const names = unknowns.flatMap(({ name }) => /^globals\."(\w+)"/.exec(name)?.[1] ?? []);
  if (names.length === 0) return undefined;
  const read = [...new Set(names)].map((name) => `G.${name}`).join(", ");
  const at = part === undefined ? "" : ` (${positionText(part.of.position(part.at))})`;
  return `it depends on ${read}${at}, and nothing gives the value: write globals in keyward.yaml, or use --globals`;
}

function notUnderstood([first, ...others]: readonly ExpressionPart[]): string {
  if (first === undefined) return "the solver found values, but no request that has them";
  const { source } = first.of;
  const quoted = source.length > MAX_QUOTED ? `${source.slice(0, MAX_QUOTED)}…` : source;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const at = positionText(first.of.position(first.at));
  return `the solver does not understand the expression ${JSON.stringify(quoted)} (${at})${more}`;
}

const TEXTS_BEYOND =
  "undecided: it holds of texts of whole characters up to U+2FFFF, and the solver does not know the others";

/** The greatest number that counts as plain. */
const PLAIN = 1_000_000;

export const NO_SOLVER = "no solver was used";

/** Why nothing could be proved without a solver, and what to do if none was found. Commands say it once. */
export function notAsked(solver: NoSolver | undefined): string {
  return `${NO_SOLVER}: ${solver?.notAsked ?? "proofs need the package z3-solver (npm install --save-dev z3-solver@5.2.0)"}`;
}
