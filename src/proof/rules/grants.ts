/** Permissions without effect: a role has them, but the platform forbids the operation for every request. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import type { QuestionProver } from "../question-prover.js";
import type { ForbiddenGrant } from "./types.js";

/** `rolesOf`: the roles to examine for a question. If the permission is useless to every role, it is reported once. */
export async function forbiddenGrants(
  set: PolicySet,
  asked: readonly QuestionProver[],
  rolesOf: (prover: QuestionProver) => readonly string[],
  solver: Solver,
): Promise<readonly ForbiddenGrant[]> {
  if (set.platform === undefined) return [];
  const found: ForbiddenGrant[] = [];
  for (const prover of asked) {
    const search = new GrantSearch(set, prover, solver);
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

class GrantSearch {
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

  /** A request that is allowed; `none` if it is proved that there is none. */
  async allowed(where: Formula): Promise<RequestJson | "none" | "unproven"> {
    const { allow } = this.prover.outcomes(this.set);
    const goal = this.prover.world.formulas.and(where, allow);
    const found = await this.prover.find(goal, this.solver, (one) => this.isAllowed(one), { isLikely: true });
    return found.kind === "request" ? found.request : found.kind;
  }

  /** Is there a request that the permission layer allows? */
  async isPermitted(where: Formula): Promise<boolean> {
    const { permitted } = this.prover.outcomes(this.set);
    const goal = this.prover.world.formulas.and(where, permitted);
    const isShown = (one: RequestJson) => decideAny(this.set, requestOf(one)).permission.effect === "allow";
    return (await this.prover.find(goal, this.solver, isShown, { isLikely: true })).kind === "request";
  }

  /** When the key has this role and no other. */
  hasOnly(role: string): Formula {
    const { plans, world } = this.prover;
    const { formulas } = world;
    const others = plans.roles.filter(({ name }) => name !== role).map(({ name }) => formulas.not(plans.hasRole(name)));
    return formulas.and(plans.hasRole(role), ...others);
  }
}
