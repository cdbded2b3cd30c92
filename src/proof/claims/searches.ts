/** The search for what breaks a claim, for each form of claims. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Outcome } from "../../decisions/types.js";
import type { Formula } from "../../engine/formula/formula.js";
import { sanitise } from "../../policy/names.js";
import { LAYERS, PRINCIPALS } from "../../space/dimension.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { layerPolicies } from "../layer-policies.js";
import type { QuestionProver } from "../question-prover.js";
import { assumed, satisfies } from "./assumptions.js";
import { onlyRole, withOnlyRole } from "./only-role.js";
import type { Claim, Proved, RoleHierarchy } from "./types.js";

/** What is looked for on one question. */
export interface ClaimSearch {
  readonly goal: Formula;
  /** Facts about other requests in the goal. */
  readonly others: readonly Formula[];
  /** What breaks the claim, decided; undefined: nothing that starts from this request does. */
  broken(request: RequestJson): BrokenBy | undefined;
}

export type BrokenBy = Required<Pick<Proved, "request" | "outcome">> & Pick<Proved, "changed">;

/** The requests that satisfy the assumptions of a claim: without one, the claim is empty. */
export function assumption({ assume, roles }: Claim, prover: QuestionProver): ClaimSearch {
  const holds = assumed(prover, assume);
  if (roles === undefined) {
    return { goal: holds, others: [], broken: (request) => (satisfies(assume, request) ? ANY(request) : undefined) };
  }
  const lower = onlyRole(prover, roles.includes.name);
  return {
    goal: lower.of(holds),
    others: lower.facts,
    broken: (request) => {
      const one = withOnlyRole(request, roles.includes.name);
      return satisfies(assume, one) ? ANY(one) : undefined;
    },
  };
}

const ANY = (request: RequestJson): BrokenBy => ({ request, outcome: "allow" });

export function searchOf(set: PolicySet, claim: Claim, prover: QuestionProver): ClaimSearch {
  return claim.roles === undefined ? oneRequest(set, claim, prover) : twoRoles(set, claim, claim.roles, prover);
}

/** A request with an outcome that the claim excludes. */
function oneRequest(set: PolicySet, { never, assume, together }: Claim, prover: QuestionProver): ClaimSearch {
  const { formulas } = prover.world;
  const outcomes = prover.outcomes(set);
  const breaks = formulas.or(...never.map((outcome) => outcomes[BY_OUTCOME[outcome]]));
  const alsoAllowed = together === undefined ? formulas.yes : allowed(set, prover, together.name);
  return {
    goal: formulas.and(assumed(prover, assume), breaks, alsoAllowed),
    others: [],
    broken: (request) => {
      const outcome = outcomeOf(set, request);
      if (!never.includes(outcome) || !satisfies(assume, request)) return undefined;
      if (together === undefined) return { request, outcome };
      return outcomeOf(set, { ...request, operation: together.name }) === "allow" ? { request, outcome } : undefined;
    },
  };
}

/** A request that is allowed with one role alone, and not with the other one alone. */
function twoRoles(
  set: PolicySet,
  { assume }: Claim,
  { role, includes }: RoleHierarchy,
  prover: QuestionProver,
): ClaimSearch {
  const { formulas } = prover.world;
  const { allow } = prover.outcomes(set);
  const holds = formulas.and(assumed(prover, assume), allow);
  const lower = onlyRole(prover, includes.name);
  const higher = onlyRole(prover, role.name);
  return {
    goal: formulas.and(lower.of(holds), formulas.not(higher.of(allow))),
    others: [...lower.facts, ...higher.facts],
    broken: (any) => {
      const [request, changed] = [withOnlyRole(any, includes.name), withOnlyRole(any, role.name)];
      if (outcomeOf(set, request) !== "allow" || !satisfies(assume, request)) return undefined;
      const outcome = outcomeOf(set, changed);
      return outcome === "allow" ? undefined : { request, changed, outcome };
    },
  };
}

/** When another operation on the same resource is allowed. */
function allowed(set: PolicySet, prover: QuestionProver, operation: string): Formula {
  const { formulas } = prover.world;
  const asked = { kind: sanitise(prover.question.kind), action: operation };
  return formulas.and(
    ...LAYERS.map((name) => {
      const layer = set[name];
      return layer === undefined
        ? formulas.yes
        : prover.plans.allows(layerPolicies(set, layer), PRINCIPALS[name], asked);
    }),
  );
}

function outcomeOf(set: PolicySet, request: RequestJson): Outcome {
  return decideAny(set, requestOf(request)).outcome;
}

const BY_OUTCOME: { readonly [outcome in Outcome]: "allow" | "insufficient" | "forbidden" } = {
  allow: "allow",
  insufficient_permissions: "insufficient",
  forbidden: "forbidden",
};
