/** The contents of plans: plans with equal contents examine the same rows, and have the same results. */

import type { Plan, PlanStep, RoleSteps } from "./plan.js";

/**
 * Names contents by numbers. It works on identity: rules and derived roles of an index are the same objects in all of
 * its plans.
 */
export class PlanContents {
  private readonly numbers = new Map<object | string, number>();

  /** How many contents, and parts of them, have numbers. */
  get size(): number {
    return this.numbers.size;
  }

  /** The number of an object, or of a text. */
  number(of: object | string): number {
    const number = this.numbers.get(of) ?? this.numbers.size;
    this.numbers.set(of, number);
    return number;
  }

  /** The content of a list of steps. Steps without rows decide nothing, so they are ignored. */
  steps(steps: readonly PlanStep[]): readonly unknown[] {
    return steps.flatMap((step) => (step.rows.length === 0 ? [] : [this.step(step)]));
  }

  private step({ asksParents, rows, derivedRoles }: PlanStep): readonly unknown[] {
    const inRows = rows.map(({ rule, guard }) => [this.number(rule), guard && this.number(guard)]);
    return [asksParents, inRows, derivedRoles.map((role) => this.number(role))];
  }

  /** The number of the content of a role's steps. */
  private role({ steps }: RoleSteps): number {
    return this.number(JSON.stringify(this.steps(steps)));
  }

  /** Roles without those that have the content of another: all of these have one ruling. */
  distinct(roles: readonly RoleSteps[]): readonly RoleSteps[] {
    const seen = new Set<number>();
    return roles.filter((one) => {
      const { size } = seen;
      return seen.add(this.role(one)).size > size;
    });
  }

  /** The content of a plan, apart from its names. Roles with the same steps, and the order of roles, make no difference. */
  plan({ isKnown, personal, roles, schemas }: Plan): string {
    const byRole = new Set(roles.map((one) => this.role(one)));
    const ofRoles = [...byRole].sort((a, b) => a - b);
    return JSON.stringify([isKnown, this.steps(personal), ofRoles, schemas.principal, schemas.resource]);
  }
}
