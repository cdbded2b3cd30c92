/** What several policy sets say of one operation on one kind, as formulas, and how to ask a solver about it. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Layer as CompiledLayer } from "../engine/evaluate/layer.js";
import { type Formula, unknownsIn } from "../engine/formula/formula.js";
import { type LayerPolicies, PlanFormulas, type RoleClass } from "../engine/formula/plans.js";
import type { ModelValue } from "../engine/formula/smtlib.js";
import { World } from "../engine/formula/world.js";
import { sanitise } from "../policy/names.js";
import type { Solver } from "../solver/solver.js";
import type { Question } from "../space/deciders.js";
import type { Layer } from "../space/dimension.js";
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

export class Inquiry {
  readonly world = new World();
  readonly question: Question;
  readonly plans: PlanFormulas;
  private readonly hasAccount: boolean;
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
  allowsBy(policies: LayerPolicies, name: Layer): Formula {
    const { kind, operation } = this.question;
    return this.plans.allows(policies, PRINCIPAL_OF[name], { kind: sanitise(kind), action: operation });
  }

  /** Adds what follows from all that was asked, of a set and before: nothing more is to be translated after that. */
  close(set?: PolicySet): void {
    if (this.isClosed) return;
    if (set !== undefined) this.outcomes(set);
    this.plans.close();
    this.isClosed = true;
  }

  /**
   * Looks for a request of which `goal` holds, and `others` with it. What the solver finds is a request only if `replays`
   * says that it does what it should.
   */
  async find(
    goal: Formula,
    solver: Solver | undefined,
    replays: (request: RequestJson) => boolean,
    others: readonly Formula[] = [],
  ): Promise<Found> {
    const { formulas } = this.world;
    if (goal === formulas.no) return { kind: "none" };
    if (solver === undefined) return { kind: "unproven", why: NOT_ASKED };
    this.close();
    const facts = [...this.world.facts, ...others];
    const { holds } = this.about(goal, facts);
    if ((await solver.ask({ holds, wanted: [], texts: "symbols" })).kind === "unsatisfiable") return { kind: "none" };
    let why = "the solver's requests do not show it: it depends on what has no translation";
    // Requests as they should be are looked for first: what facts alone allow may be no request.
    for (const preferences of [[...this.world.preferences], []]) {
      const { holds, unknowns } = this.about(goal, [...facts, ...preferences]);
      const decoder = new Decoder(this.world, this.plans, unknowns);
      const answer = await solver.ask({ holds, wanted: decoder.wanted, texts: "whole" });
      if (answer.kind === "unsatisfiable" && preferences.length === 0) return { kind: "none" };
      if (answer.kind === "unknown") why = answer.why;
      if (answer.kind !== "satisfiable") continue;
      const request = this.decoded(decoder, answer.values);
      if (replays(request)) return { kind: "request", request };
    }
    return { kind: "unproven", why };
  }

  private decoded(decoder: Decoder, values: ReadonlyMap<Formula, ModelValue>): RequestJson {
    return decoder.request(this.question, this.hasAccount, values);
  }

  /** What bears on a goal, directly or by way of other formulas: nothing else can keep it from holding. */
  private about(
    goal: Formula,
    others: readonly Formula[],
  ): { holds: readonly Formula[]; unknowns: ReadonlySet<Formula> } {
    const byName = new Map<string, number[]>();
    const names = others.map((one) => unknownsIn([one]).map(({ name }) => name));
    for (const [i, all] of names.entries()) for (const name of all) byName.set(name, [...(byName.get(name) ?? []), i]);
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

const PRINCIPAL_OF = { permission: "key", platform: "account" } as const;

export const NO_SOLVER = "no solver was asked";

/** Why something is not proved where no solver was asked, and what to do. */
export const NOT_ASKED: string = `${NO_SOLVER}: proofs take the package z3-solver (npm install --save-dev z3-solver@5.2.0)`;

/** A layer as formulas take it. */
export function layerPolicies({ model }: PolicySet, layer: CompiledLayer): LayerPolicies {
  const { index, version, globals, enforcesSchemas } = layer;
  return { index, model, version, globals, enforcesSchemas, typesOf: (plan) => layer.typesOf(plan) };
}
