/** What several policy sets say of one operation on one kind, as formulas, and how to ask a solver about it. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Layer as CompiledLayer } from "../engine/evaluate/layer.js";
import { type Formula, unknownsIn } from "../engine/formula/formula.js";
import { type LayerPolicies, PlanFormulas, type RoleClass, type TruthOf } from "../engine/formula/plans.js";
import type { Query } from "../engine/formula/smtlib.js";
import { World } from "../engine/formula/world.js";
import { addTo } from "../policy/groups.js";
import { sanitise } from "../policy/names.js";
import { isSolver, type NoSolver } from "../solver/no-solver.js";
import type { Answer, Solver } from "../solver/solver.js";
import type { Question } from "../space/deciders.js";
import { type Layer, PRINCIPALS } from "../space/dimension.js";
import type { RequestJson } from "../space/draft.js";
import { Decoder } from "./decode.js";

/** When a set decides how. */
export interface Outcomes {
  /** When each layer allows. */
  readonly permitted: Formula;
  readonly supported: Formula;
  readonly allow: Formula;
  readonly insufficient: Formula;
  readonly forbidden: Formula;
}

/** Whether there is a request of which something holds. */
export type Found =
  /** There is none, and that is proved. */
  | { readonly kind: "none" }
  /** This one: it was replayed. */
  | { readonly kind: "request"; readonly request: RequestJson }
  | { readonly kind: "unproven"; readonly why: string };

/** Why something is not proved of which that was found. */
export function whyOf(found: Found): string {
  return found.kind === "unproven" ? found.why : "the solver's requests do not show it";
}

/** Proves formulas of one question, or finds requests of which they hold. */
export class QuestionProver {
  readonly world = new World();
  readonly question: Question;
  readonly plans: PlanFormulas;
  private readonly hasAccount: boolean;
  private readonly names = new Map<Formula, readonly string[]>();
  private isClosed = false;

  constructor(question: Question, roles: readonly RoleClass[], hasAccount: boolean) {
    this.question = question;
    this.plans = new PlanFormulas(this.world, roles);
    this.hasAccount = hasAccount;
    const { formulas } = this.world;
    this.world.prefer(formulas.same(this.world.field("resource", "kind"), this.world.text(question.kind)));
    for (const subject of ["key", "account", "resource"] as const) {
      this.world.prefer(formulas.same(this.world.field(subject, "scope"), this.world.text("")));
    }
  }

  /** When a set decides how. */
  outcomes(set: PolicySet): Outcomes {
    const { formulas } = this.world;
    const permitted = this.allows(set, "permission");
    const supported = this.allows(set, "platform");
    return {
      permitted,
      supported,
      allow: formulas.and(supported, permitted),
      insufficient: formulas.and(supported, formulas.not(permitted)),
      forbidden: formulas.not(supported),
    };
  }

  private allows(set: PolicySet, name: Layer): Formula {
    const layer = set[name];
    return layer === undefined ? this.world.formulas.yes : this.allowsBy(layerPolicies(set, layer), name);
  }

  /** When a layer allows. */
  allowsBy(policies: LayerPolicies, name: Layer, truthOf?: TruthOf): Formula {
    const { kind, operation } = this.question;
    return this.plans.allows(policies, PRINCIPALS[name], { kind: sanitise(kind), action: operation }, truthOf);
  }

  /** Adds what follows from all that was asked, of a set and before: nothing more is to be translated after that. */
  close(set?: PolicySet): void {
    if (this.isClosed) return;
    if (set !== undefined) this.outcomes(set);
    this.plans.close();
    this.isClosed = true;
  }

  /** What a solver says of `goal`, by all facts that bear on it, and `others`. */
  async ask(
    goal: Formula,
    solver: Solver,
    {
      others = [],
      wanted = [],
      texts,
    }: { others?: readonly Formula[]; wanted?: readonly Formula[] } & Pick<Query, "texts">,
  ): Promise<Answer> {
    if (goal === this.world.formulas.no) return { kind: "unsatisfiable" };
    this.close();
    const { holds } = this.about(goal, [...this.world.facts, ...others]);
    return await solver.ask({ holds, wanted, texts });
  }

  /** Whether it is proved that there is no request of which `goal` holds. */
  async excludes(goal: Formula, solver: Solver): Promise<boolean> {
    for (const texts of ["symbols", "whole"] as const) {
      if ((await this.ask(goal, solver, { texts })).kind === "unsatisfiable") return true;
    }
    return false;
  }

  /**
   * Looks for a request of which `goal` holds, and `others` with it. What the solver finds is a request only if `replays`
   * says that it does what it should. `isLikely`: it is looked for before it is asked whether there is none.
   */
  async find(
    goal: Formula,
    solver: Solver | NoSolver | undefined,
    replays: (request: RequestJson) => boolean,
    { others = [], isLikely = false }: { readonly others?: readonly Formula[]; readonly isLikely?: boolean } = {},
  ): Promise<Found> {
    const { formulas, preferences } = this.world;
    if (goal === formulas.no) return { kind: "none" };
    if (!isSolver(solver)) return { kind: "unproven", why: notAsked(solver) };
    // Requests as they should be are looked for first: what facts alone allow may be no request.
    const wishes = [
      { preferences: [...preferences], isPlain: true },
      { preferences: [...preferences], isPlain: false },
      { preferences: [], isPlain: false },
    ];
    let why = `the solver's requests do not show it: it depends on ${this.untold(goal)}`;
    for (const [i, wish] of wishes.entries()) {
      if (i === (isLikely ? 1 : 0)) {
        const answer = await this.ask(goal, solver, { others, texts: "symbols" });
        if (answer.kind === "unsatisfiable") return { kind: "none" };
      }
      const found = await this.request(goal, solver, others, wish);
      if (typeof found !== "string") {
        if (found === undefined && wish.preferences.length === 0) return { kind: "none" };
        if (found !== undefined && replays(found)) return { kind: "request", request: found };
      } else why = found;
    }
    return { kind: "unproven", why };
  }

  /** What the solver is not told of what a goal depends on. */
  private untold(goal: Formula): string {
    const unknowns = new Set<Formula>(unknownsIn([goal]));
    const wholes = this.world.wholes.filter(({ fit }) => unknowns.has(fit));
    const twice = wholes.find(({ raw, fit }) => wholes.some((other) => other.raw === raw && other.fit !== fit));
    if (twice === undefined) return "what has no translation";
    return `what is in ${twice.raw.key.replaceAll(/\."(\w+)"/g, ".$1")}, of which schemas declare one thing and another`;
  }

  /** Values by which `goal` holds, as a request; undefined: there are none; or why that is not known. */
  private async request(
    goal: Formula,
    solver: Solver,
    others: readonly Formula[],
    { preferences, isPlain }: { readonly preferences: readonly Formula[]; readonly isPlain: boolean },
  ): Promise<RequestJson | string | undefined> {
    this.close();
    const { holds, unknowns } = this.about(goal, [...this.world.facts, ...others, ...preferences]);
    const decoder = new Decoder(this.world, this.plans, unknowns);
    const plain = isPlain ? decoder.numbers.map((number) => this.isPlain(number)) : [];
    const answer = await solver.ask({ holds: [...holds, ...plain], wanted: decoder.wanted, texts: "whole" });
    if (answer.kind === "unknown") return answer.why;
    return answer.kind === "unsatisfiable" ? undefined : decoder.request(this.question, this.hasAccount, answer.values);
  }

  /** A number as people write them. Solvers like it as well: of others, the arithmetic of doubles is much work. */
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
   * A goal, and after it what bears on it, directly or by way of other formulas: nothing else can keep it from holding. With
   * the unknowns of all of them.
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

/** Greatest number that needs no reason. */
const PLAIN = 1_000_000;

export const NO_SOLVER = "no solver was asked";

/** Why something is not proved where no solver was asked, and what to do where none was found. */
export function notAsked(solver: NoSolver | undefined): string {
  return `${NO_SOLVER}: ${solver?.notAsked ?? "proofs take the package z3-solver (npm install --save-dev z3-solver@5.2.0)"}`;
}

/** A layer as formulas take it. */
export function layerPolicies({ model }: PolicySet, layer: CompiledLayer): LayerPolicies {
  const { index, version, globals, enforcesSchemas } = layer;
  return { index, model, version, globals, enforcesSchemas, typesOf: (plan) => layer.typesOf(plan) };
}
