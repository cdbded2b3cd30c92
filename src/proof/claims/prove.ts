/** Proves claims about a policy set, or finds the smallest request that breaks one. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Outcome } from "../../decisions/types.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { RoleClass } from "../../engine/formula/plans.js";
import { type PolicyIssue, positionText } from "../../policy/issue.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { Solver } from "../../solver/solver.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { Inquiry } from "../inquiry.js";
import { proveLaws } from "../laws/laws.js";
import { allQuestions } from "../questions.js";
import { shrunk } from "../shrink.js";
import { assumed, satisfies } from "./assumptions.js";
import { KnownNames } from "./names.js";
import type { Claim, Proved } from "./types.js";

/** What the laws and the claims came to; or what is wrong with the claims, of which nothing was proved then. */
export type Proofs =
  | { readonly kind: "proved"; readonly claims: readonly Proved[] }
  | { readonly kind: "wrong"; readonly issues: readonly PolicyIssue[] };

/** Proves the five laws, which hold or not whatever is claimed, and then claims. */
export async function proveAll(set: PolicySet, claims: readonly Claim[], solver: Solver | undefined): Promise<Proofs> {
  const proved = await proveClaims(set, claims, solver);
  if (proved.kind === "wrong") return proved;
  const { questions, roles, gaps } = allQuestions([set]);
  const laws = await proveLaws(set, questions, roles, solver);
  return { kind: "proved", claims: [...laws.map((one) => doubted(one, gaps)), ...proved.claims] };
}

/**
 * Proves claims. Names that the policies do not have are issues, and so are assumptions that nothing satisfies: of nothing,
 * all can be proved.
 */
export async function proveClaims(
  set: PolicySet,
  claims: readonly Claim[],
  solver: Solver | undefined,
): Promise<Proofs> {
  const { questions, roles, gaps } = allQuestions([set]);
  const names = new KnownNames(set, questions);
  const log = new IssueLog();
  for (const claim of claims) names.check(claim, log);
  if (log.size > 0) return { kind: "wrong", issues: log.issues };
  const prover = new Prover(set, names, roles, solver);
  const proved: Proved[] = [];
  for (const claim of claims) proved.push(...(await prover.prove(claim, log)));
  if (log.size > 0) return { kind: "wrong", issues: log.issues };
  return { kind: "proved", claims: proved.map((one) => doubted(one, gaps)) };
}

/** Where not all questions could be told apart, nothing is proved of all. */
function doubted(proved: Proved, gaps: readonly string[]): Proved {
  return proved.result === "proved" && gaps.length > 0
    ? { ...proved, result: "unproven", why: gaps.join("; ") }
    : proved;
}

class Prover {
  private readonly set: PolicySet;
  private readonly names: KnownNames;
  private readonly roles: readonly RoleClass[];
  private readonly solver: Solver | undefined;

  constructor(set: PolicySet, names: KnownNames, roles: readonly RoleClass[], solver: Solver | undefined) {
    this.set = set;
    this.names = names;
    this.roles = roles;
    this.solver = solver;
  }

  /** None: nothing satisfies its assumptions, which is reported. */
  async prove(claim: Claim, log: IssueLog): Promise<readonly Proved[]> {
    const asked = this.names.questionsOf(claim);
    const made = { claim: claim.claim, position: positionText(claim.at), questions: asked.length };
    let unproven: string | undefined;
    let isPossible = claim.assume.length === 0 && asked.length > 0;
    for (const question of asked) {
      const inquiry = new Inquiry(question, this.roles, this.set.platform !== undefined);
      const { formulas } = inquiry.world;
      const outcomes = inquiry.outcomes(this.set);
      const holds = assumed(inquiry, claim.assume);
      const broken = formulas.or(...claim.never.map((outcome) => outcomes[BY_OUTCOME[outcome]]));
      const shows = (request: RequestJson) => this.breaks(claim, request);
      const found = await inquiry.find(formulas.and(holds, broken), this.solver, shows);
      const where = `${question.operation} on ${question.kind}`;
      if (found.kind === "request") {
        const request = shrunk(found.request, shows);
        const { outcome } = decideAny(this.set, requestOf(request));
        return [{ ...made, result: "broken", why: where, request, outcome }];
      }
      if (found.kind === "unproven") unproven ??= `${where}: ${found.why}`;
      isPossible ||= await this.isPossible(inquiry, holds, claim);
    }
    if (unproven !== undefined) return [{ ...made, result: "unproven", why: unproven }];
    if (isPossible) return [{ ...made, result: "proved", why: "no request breaks it" }];
    const message = asked.length === 0 ? "no operation is on these kinds" : "nothing satisfies the assumptions";
    log.error("shape", claim.at, `${message}: the claim would say nothing`);
    return [];
  }

  /** Whether some request satisfies the assumptions of a claim. What a solver does not know counts as one. */
  private async isPossible(inquiry: Inquiry, holds: Formula, { assume }: Claim): Promise<boolean> {
    const found = await inquiry.find(holds, this.solver, (request) => satisfies(assume, request));
    return found.kind !== "none";
  }

  private breaks({ never, assume }: Claim, request: RequestJson): boolean {
    return never.includes(decideAny(this.set, requestOf(request)).outcome) && satisfies(assume, request);
  }
}

const BY_OUTCOME: { readonly [outcome in Outcome]: "allow" | "insufficient" | "forbidden" } = {
  allow: "allow",
  insufficient_permissions: "insufficient",
  forbidden: "forbidden",
};
