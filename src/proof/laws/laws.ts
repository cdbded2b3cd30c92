/** The five laws, which come with every set: each proved, broken by a pair of requests, or neither. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { type Formula, unknownsIn } from "../../engine/formula/formula.js";
import type { LayerPolicies, RoleClass } from "../../engine/formula/plans.js";
import type { Subject } from "../../engine/formula/world.js";
import { PolicyIndex } from "../../engine/plan/policy-index.js";
import type { PolicyModel } from "../../policy/model.js";
import type { Solver } from "../../solver/solver.js";
import { askedAbout } from "../../space/asked-about.js";
import type { Question } from "../../space/deciders.js";
import { LAYERS } from "../../space/dimension.js";
import { requestOf } from "../../space/draft.js";
import type { Proved } from "../claims/types.js";
import { type Found, Inquiry, layerPolicies } from "../inquiry.js";
import { shrunk } from "../shrink.js";
import { failClosed, reduction, type SolvedLaw } from "./solved.js";

/** What the laws come to for a set. */
export async function proveLaws(
  set: PolicySet,
  questions: readonly Question[],
  roles: readonly RoleClass[],
  solver: Solver | undefined,
): Promise<readonly Proved[]> {
  const asked = questions.map((question) => new Inquiry(question, roles, set.platform !== undefined));
  const solved: Proved[] = [];
  for (const law of [failClosed(set, askedAbout(set)), reduction(set)]) {
    solved.push(await provedLaw(set, law, asked, solver));
  }
  return [...separations(set, asked), await orderLaw(set, asked, solver), ...solved];
}

/** The laws that hold by how layers are asked, whatever the policies: shown of this set's own formulas. */
function separations(set: PolicySet, asked: readonly Inquiry[]): readonly Proved[] {
  const law = (claim: string, reads: (inquiry: Inquiry) => readonly string[], why: string): Proved => {
    const found = asked.find((inquiry) => reads(inquiry).length > 0);
    const made = { claim, position: "", questions: asked.length };
    if (found === undefined) return { ...made, result: "proved", why };
    return { ...made, result: "unproven", why: `${said(found.question)} depends on ${reads(found).join(", ")}` };
  };
  return [
    law(
      "What is forbidden is forbidden for every key.",
      (inquiry) => readsOf(inquiry.outcomes(set).supported, "key"),
      "by construction: the platform layer is not given the key",
    ),
    law(
      "What a key may do does not depend on the account.",
      (inquiry) => readsOf(inquiry.outcomes(set).permitted, "account"),
      "by construction: the permission layer is not given the account",
    ),
  ];
}

/** What a formula reads of a subject. */
function readsOf(formula: Formula, subject: Subject): readonly string[] {
  return unknownsIn([formula]).flatMap(({ name }) => (name.startsWith(`${subject}.`) ? [name] : []));
}

async function orderLaw(set: PolicySet, asked: readonly Inquiry[], solver: Solver | undefined): Promise<Proved> {
  const claim = "The order of policies, of their rules and of their roles changes no decision.";
  const made = { claim, position: "", questions: asked.length };
  for (const inquiry of asked) {
    const { formulas } = inquiry.world;
    const { permitted, supported } = inquiry.outcomes(set);
    const differs = LAYERS.map((name) => {
      const layer = set[name];
      if (layer === undefined) return formulas.no;
      const after = inquiry.allowsBy(turnedRound(layerPolicies(set, layer)), name);
      return formulas.not(formulas.same(name === "permission" ? permitted : supported, after));
    });
    // Nothing that `decide` says could show a difference: there is one set alone to ask.
    const found = await inquiry.find(formulas.or(...differs), solver, () => false);
    if (found.kind !== "none")
      return { ...made, result: "unproven", why: `${said(inquiry.question)}: ${whyOf(found)}` };
  }
  return { ...made, result: "proved", why: "turned round, the policies say the same" };
}

async function provedLaw(
  set: PolicySet,
  law: SolvedLaw,
  asked: readonly Inquiry[],
  solver: Solver | undefined,
): Promise<Proved> {
  const made = { claim: law.claim, position: "", questions: asked.length };
  let unproven: string | undefined;
  for (const inquiry of asked) {
    const found = await law.find(inquiry, solver);
    if (found.kind === "none") continue;
    const opened = found.kind === "request" ? law.opened(found.request) : undefined;
    if (opened === undefined) {
      unproven ??= `${said(inquiry.question)}: ${whyOf(found)}`;
      continue;
    }
    const small = law.opened(shrunk(opened.before, (request) => law.opened(request) !== undefined)) ?? opened;
    const { before, after } = small;
    const outcome = decideAny(set, requestOf(after)).outcome;
    return { ...made, result: "broken", why: said(inquiry.question), request: before, changed: after, outcome };
  }
  if (unproven !== undefined) return { ...made, result: "unproven", why: unproven };
  return { ...made, result: "proved", why: "no two requests break it" };
}

function whyOf(found: Found): string {
  return found.kind === "unproven" ? found.why : "the solver's requests do not show it";
}

function said({ operation, kind }: Question): string {
  return `${operation} on ${kind}`;
}

/** Policies, rules and roles in the opposite order. */
function turnedRound(policies: LayerPolicies): LayerPolicies {
  const { model } = policies;
  const turned: PolicyModel = {
    ...model,
    resourcePolicies: model.resourcePolicies.toReversed().map((policy) => ({
      ...policy,
      rules: policy.rules.toReversed().map((rule) => ({ ...rule, roles: rule.roles.toReversed() })),
    })),
    principalPolicies: model.principalPolicies
      .toReversed()
      .map((policy) => ({ ...policy, rules: policy.rules.toReversed() })),
    rolePolicies: model.rolePolicies.toReversed().map((policy) => ({ ...policy, rules: policy.rules.toReversed() })),
  };
  return { ...policies, model: turned, index: new PolicyIndex(turned) };
}
