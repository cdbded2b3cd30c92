/** What roles may do, and the platform forbids whatever the request: permissions that are none. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import type { Inquiry } from "../inquiry.js";
import type { ForbiddenGrant } from "./types.js";

/** `rolesOf`: the roles whose permission for a question is to be looked at; if nobody's is of use, that is said once. */
export async function forbiddenGrants(
  set: PolicySet,
  asked: readonly Inquiry[],
  rolesOf: (inquiry: Inquiry) => readonly string[],
  solver: Solver,
): Promise<readonly ForbiddenGrant[]> {
  if (set.platform === undefined) return [];
  const found: ForbiddenGrant[] = [];
  for (const inquiry of asked) {
    const search = new Search(set, inquiry, solver);
    const allowed = await search.allowed(inquiry.world.formulas.yes);
    if (allowed === "none") {
      if (await search.isPermitted(inquiry.world.formulas.yes)) found.push({ ...inquiry.question, role: undefined });
      continue;
    }
    for (const role of rolesOf(inquiry)) {
      if (allowed !== "unproven" && search.isAllowed(withRole(allowed, role))) continue;
      const only = search.hasOnly(role);
      if ((await search.allowed(only)) === "none" && (await search.isPermitted(only))) {
        found.push({ ...inquiry.question, role });
      }
    }
  }
  return found;
}

function withRole(request: RequestJson, role: string): RequestJson {
  return { ...request, key: { ...request.key, roles: [role] } };
}

class Search {
  private readonly set: PolicySet;
  private readonly inquiry: Inquiry;
  private readonly solver: Solver;

  constructor(set: PolicySet, inquiry: Inquiry, solver: Solver) {
    this.set = set;
    this.inquiry = inquiry;
    this.solver = solver;
  }

  isAllowed(request: RequestJson): boolean {
    return decideAny(this.set, requestOf(request)).outcome === "allow";
  }

  /** A request that is allowed, `none` if there is proved to be none. */
  async allowed(where: Formula): Promise<RequestJson | "none" | "unproven"> {
    const { allow } = this.inquiry.outcomes(this.set);
    const goal = this.inquiry.world.formulas.and(where, allow);
    const found = await this.inquiry.find(goal, this.solver, (one) => this.isAllowed(one), { isLikely: true });
    return found.kind === "request" ? found.request : found.kind;
  }

  /** Whether there is a request that the permission layer allows. */
  async isPermitted(where: Formula): Promise<boolean> {
    const { permitted } = this.inquiry.outcomes(this.set);
    const goal = this.inquiry.world.formulas.and(where, permitted);
    const isShown = (one: RequestJson) => decideAny(this.set, requestOf(one)).permission.effect === "allow";
    return (await this.inquiry.find(goal, this.solver, isShown, { isLikely: true })).kind === "request";
  }

  /** When a role is the only one of the key. */
  hasOnly(role: string): Formula {
    const { plans, world } = this.inquiry;
    const { formulas } = world;
    const others = plans.roles.filter(({ name }) => name !== role).map(({ name }) => formulas.not(plans.hasRole(name)));
    return formulas.and(plans.hasRole(role), ...others);
  }
}
