/** The plans of a question, for all scopes and principals. Requests that policies do not distinguish share one plan. */

import { otherThan } from "../../policy/glob-classes.js";
import type { PolicyModel } from "../../policy/model.js";
import { makePlan } from "../plan/make-plan.js";
import type { Plan } from "../plan/plan.js";
import { PlanContents } from "../plan/plan-contents.js";
import type { PolicyIndex } from "../plan/policy-index.js";
import { locatePolicies, STRICT_SEARCH } from "../plan/policy-location.js";

/** An operation on a kind of resource, in the form that policies are indexed by. */
export interface IndexedQuestion {
  readonly kind: string;
  readonly action: string;
}

/** The policies in which plans are looked for. */
interface SearchedPolicies {
  readonly index: PolicyIndex;
  readonly model: PolicyModel;
  readonly version: string;
}

/** The parts of a request, apart from roles, by which policies may distinguish requests. */
export interface PlanCase {
  readonly scope: string;
  readonly principalScope: string;
  readonly id: string;
}

export class PlanCases {
  /**
   * The scopes of policies, and the principals with policies. All other names behave like one name that no policy has.
   */
  readonly scopes: readonly string[];
  readonly principalScopes: readonly string[];
  readonly ids: readonly string[];
  private readonly other: PlanCase;
  private readonly searched: SearchedPolicies;
  private readonly question: IndexedQuestion;
  private readonly roles: readonly string[];
  private readonly plans = new Map<string, Plan>();
  /** Numbers of the contents of plan parts, by the scope or the principal of the part. */
  private readonly parts = new Map<string, number>();
  private readonly contents = new PlanContents();

  constructor(searched: SearchedPolicies, question: IndexedQuestion, roles: readonly string[]) {
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

  /** One plan for all cases that examine the same rows and have the same schemas for attributes. */
  planFor(one: PlanCase): Plan {
    const { scope, principalScope, id } = one;
    // The principal's own policies depend only on its scope and id, and all other policies only on the resource's
    // scope.
    const own = this.part(`${principalScope}\0${id}`, { ...one, scope: this.other.scope }, []);
    const others = this.part(scope, { ...this.other, scope }, this.roles);
    const key = `${own} ${others}`;
    const plan = this.plans.get(key) ?? this.made(one, this.roles);
    this.plans.set(key, plan);
    return plan;
  }

  /** All plans of the question. */
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

  private made({ scope, principalScope, id }: PlanCase, roles: readonly string[]): Plan {
    const { index, version } = this.searched;
    const where = { version, principalVersion: version, principalScope, resourceScope: scope };
    return makePlan(index, locatePolicies(index, where, STRICT_SEARCH), { ...this.question, principalId: id, roles });
  }

  /** The number of the content of a case's plan. */
  private part(name: string, one: PlanCase, roles: readonly string[]): number {
    const known = this.parts.get(name);
    if (known !== undefined) return known;
    const { contents } = this;
    const plan = this.made(one, roles);
    const byRole = plan.roles.map(({ includes, steps }) => [includes, contents.steps(steps)] as const);
    const words = JSON.stringify([
      contents.steps(plan.personal),
      byRole.some(([, steps]) => steps.length > 0) ? byRole : [],
      [plan.schemas.principal, plan.schemas.resource],
    ]);
    const number = contents.number(words);
    this.parts.set(name, number);
    return number;
  }
}
