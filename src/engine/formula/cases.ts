/** The plans of a question, for all scopes and whoever asks: one where policies do not tell requests apart. */

import { otherThan } from "../../policy/glob-classes.js";
import type { PolicyModel } from "../../policy/model.js";
import { makePlan } from "../plan/make-plan.js";
import type { Plan, PlanStep } from "../plan/plan.js";
import type { PolicyIndex } from "../plan/policy-index.js";
import { locatePolicies, STRICT_SEARCH } from "../plan/policy-location.js";

/** An operation on a kind of resource, in the form that policies are indexed by. */
export interface Question {
  readonly kind: string;
  readonly action: string;
}

/** Where plans are looked for. */
interface Searched {
  readonly index: PolicyIndex;
  readonly model: PolicyModel;
  readonly version: string;
}

/** What policies may tell requests apart by, beside roles. */
export interface Case {
  readonly scope: string;
  readonly principalScope: string;
  readonly id: string;
}

export class Cases {
  /** The scopes that there are, and the principals that have policies. All others are as one that has no such name. */
  readonly scopes: readonly string[];
  readonly principalScopes: readonly string[];
  readonly ids: readonly string[];
  private readonly other: Case;
  private readonly searched: Searched;
  private readonly question: Question;
  private readonly roles: readonly string[];
  private readonly plans = new Map<string, Plan>();
  /** The numbers of what is in plans, by where they are looked for. */
  private readonly parts = new Map<string, number>();
  private readonly numbers = new Map<object | string, number>();

  constructor(searched: Searched, question: Question, roles: readonly string[]) {
    const { index, model, version } = searched;
    const personal = model.principalPolicies.filter((policy) => policy.version === version);
    this.searched = searched;
    this.question = question;
    this.roles = roles;
    this.scopes = [...index.resourceScopes].sort();
    this.principalScopes = [...index.principalScopes].sort();
    this.ids = [...new Set(personal.map(({ name }) => name))].sort();
    this.other = {
      scope: otherThan(this.scopes),
      principalScope: otherThan(this.principalScopes),
      id: otherThan(this.ids),
    };
  }

  /** One plan for all cases in which the same rows are examined, and schemas declare the same of attributes. */
  planFor(one: Case): Plan {
    const { scope, principalScope, id } = one;
    // The principal's own policies are found by its scope and its id alone, and all others by the resource's scope.
    const own = this.part(`${principalScope}\0${id}`, { ...one, scope: this.other.scope }, []);
    const others = this.part(scope, { ...this.other, scope }, this.roles);
    const key = `${own} ${others}`;
    const plan = this.plans.get(key) ?? this.made(one, this.roles);
    this.plans.set(key, plan);
    return plan;
  }

  /** All plans that there are. */
  get all(): ReadonlySet<Plan> {
    const { other } = this;
    const found = new Set<Plan>();
    for (const scope of [...this.scopes, other.scope]) {
      for (const principalScope of [...this.principalScopes, other.principalScope]) {
        for (const id of [...this.ids, other.id]) found.add(this.planFor({ scope, principalScope, id }));
      }
    }
    return found;
  }

  private made({ scope, principalScope, id }: Case, roles: readonly string[]): Plan {
    const { index, version } = this.searched;
    const where = { version, principalVersion: version, principalScope, resourceScope: scope };
    return makePlan(index, locatePolicies(index, where, STRICT_SEARCH), { ...this.question, principalId: id, roles });
  }

  /** What is in the plan of a case, as a number. A step without rows decides nothing. */
  private part(name: string, one: Case, roles: readonly string[]): number {
    const known = this.parts.get(name);
    if (known !== undefined) return known;
    const plan = this.made(one, roles);
    const stepsIn = (steps: readonly PlanStep[]) =>
      steps.flatMap((step) => (step.rows.length === 0 ? [] : [this.step(step)]));
    const byRole = plan.roles.map(({ includes, steps }) => [includes, stepsIn(steps)] as const);
    const words = JSON.stringify([
      stepsIn(plan.personal),
      byRole.some(([, steps]) => steps.length > 0) ? byRole : [],
      [plan.schemas.principal, plan.schemas.resource],
    ]);
    const number = this.number(words);
    this.parts.set(name, number);
    return number;
  }

  private step({ asksParents, rows, derivedRoles }: PlanStep): readonly unknown[] {
    const inRows = rows.map(({ rule, guard }) => [this.number(rule), guard && this.number(guard)]);
    return [asksParents, inRows, derivedRoles.map((role) => this.number(role))];
  }

  /** Rules and derived roles of an index are the same objects in all of its plans. */
  private number(of: object | string): number {
    const number = this.numbers.get(of) ?? this.numbers.size;
    this.numbers.set(of, number);
    return number;
  }
}
