/** What roles may do, and the platform forbids whatever the request: permissions that are none. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import type { QuestionProver } from "../question-prover.js";
import type { ForbiddenGrant } from "./types.js";

/** `rolesOf`: the roles whose permission for a question is to be looked at; if nobody's is of use, that is said once. */
export async function forbiddenGrants(
  set: PolicySet,
  asked: readonly QuestionProver[],
  rolesOf: (prover: QuestionProver) => readonly string[],
  solver: Solver,
): Promise<readonly ForbiddenGrant[]> {
  if (set.platform === undefined) return [];
  const found: ForbiddenGrant[] = [];
  for (const prover of asked) {
    const search = new Search(set, prover, solver);
    const allowed = await search.allowed(prover.world.formulas.yes);
    if (allowed === "none") {
      if (await search.isPermitted(prover.world.formulas.yes)) found.push({ ...prover.question, role: undefined });
      continue;
    }
    for (const role of rolesOf(prover)) {
      if (allowed !== "unproven" && search.isAllowed(withRole(allowed, role))) continue;
      const only = search.hasOnly(role);
      if ((await search.allowed(only)) === "none" && (await search.isPermitted(only))) {
        found.push({ ...prover.question, role });
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
  private readonly prover: QuestionProver;
  private readonly solver: Solver;

  constructor(set: PolicySet, prover: QuestionProver, solver: Solver) {
    this.set = set;
    this.prover = prover;
    this.solver = solver;
  }

  isAllowed(request: RequestJson): boolean {
    return decideAny(this.set, requestOf(request)).outcome === "allow";
  }

  /** A request that is allowed, `none` if there is proved to be none. */
  async allowed(where: Formula): Promise<RequestJson | "none" | "unproven"> {
    const { allow } = this.prover.outcomes(this.set);
    const goal = this.prover.world.formulas.and(where, allow);
    const found = await this.prover.find(goal, this.solver, (one) => this.isAllowed(one), { isLikely: true });
    return found.kind === "request" ? found.request : found.kind;
  }

  /** Whether there is a request that the permission layer allows. */
  async isPermitted(where: Formula): Promise<boolean> {
    const { permitted } = this.prover.outcomes(this.set);
    const goal = this.prover.world.formulas.and(where, permitted);
    const isShown = (one: RequestJson) => decideAny(this.set, requestOf(one)).permission.effect === "allow";
    return (await this.prover.find(goal, this.solver, isShown, { isLikely: true })).kind === "request";
  }

  /** When a role is the only one of the key. */
  hasOnly(role: string): Formula {
    const { plans, world } = this.prover;
    const { formulas } = world;
    const others = plans.roles.filter(({ name }) => name !== role).map(({ name }) => formulas.not(plans.hasRole(name)));
    return formulas.and(plans.hasRole(role), ...others);
  }
}
