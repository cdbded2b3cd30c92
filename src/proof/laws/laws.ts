/** The laws that come with every policy set: five, or three without a platform layer. Each is proved, broken by a pair of requests, or unproven. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { type Formula, unknownsIn } from "../../engine/formula/formula.js";
import type { FormulaLayer } from "../../engine/formula/plan-formulas.js";
import type { RequestSubject } from "../../engine/formula/world.js";
import { PolicyIndex } from "../../engine/plan/policy-index.js";
import type { PolicyModel, ResourcePolicy } from "../../policy/model.js";
import { attributeInquiries } from "../../space/asked-about.js";
import { LAYERS } from "../../space/dimension.js";
import { requestOf } from "../../space/draft.js";
import type { Proved } from "../claims/types.js";
import { layerPolicies } from "../layer-policies.js";
import { type Course, provedExcept, type QuestionResult, questionName } from "../progress.js";
import { type QuestionProver, whyOf } from "../question-prover.js";
import { failClosed, reduction, type SolvedLaw } from "./solved.js";

/** A law and its proof for one question. The result is undefined if the law is proved for that question. */
interface Law {
  readonly claim: string;
  readonly why: string;
  /** The parts of requests that the law leaves out, after it was proved. */
  exceptions?(): readonly string[];
  of(prover: QuestionProver): Promise<QuestionResult | undefined>;
}

/** Yields the results of the laws for a set, one after the other. `asked`: a prover for each question. */
export async function* proveLaws(
  set: PolicySet,
  asked: readonly QuestionProver[],
  course: Course,
): AsyncGenerator<Proved> {
  const { solver } = course;
  // Without a platform layer nothing is forbidden and no account is read.
  const separations = set.platform === undefined ? [] : SEPARATIONS.map((one) => one(set));
  const solved = [failClosed(set, attributeInquiries(set)), reduction(set, asked)].map((law) =>
    solvedLaw(set, law, solver),
  );
  for (const { claim, why, of, exceptions } of [...separations, orderLaw(set, solver), ...solved]) {
    const proved = await course.run({ claim, position: "", questions: asked.length }, why, asked, of);
    const left = proved.result === "proved" ? (exceptions?.() ?? []) : [];
    yield left.length === 0 ? proved : { ...proved, ...provedExcept(why, [...left, ...(proved.except ?? [])]) };
  }
}

/** The laws that follow from how layers are called, for any policies. They are shown on the formulas of this set. */
const SEPARATIONS: readonly ((set: PolicySet) => Law)[] = [
  (set) => ({
    claim: "A forbidden request is forbidden for every key.",
    why: "by construction: the platform layer is not given the key",
    of: async (prover) => dependence(prover, prover.outcomes(set).supported, "key"),
  }),
  (set) => ({
    claim: "The permissions of a key do not depend on the account.",
    why: "by construction: the permission layer is not given the account",
    of: async (prover) => dependence(prover, prover.outcomes(set).permitted, "account"),
  }),
];

/** Reports which values of a subject a formula reads; undefined if it reads none. */
function dependence(prover: QuestionProver, formula: Formula, subject: RequestSubject): QuestionResult | undefined {
  const read = unknownsIn([formula]).flatMap(({ name }) => (name.startsWith(`${subject}.`) ? [name] : []));
  return read.length === 0 ? undefined : unproven(prover, `the decision depends on ${read.join(", ")}`);
}

function orderLaw(set: PolicySet, solver: Course["solver"]): Law {
  const turned = LAYERS.flatMap((name) => {
    const layer = set[name];
    return layer === undefined ? [] : [{ name, policies: turnedRound(layerPolicies(set, layer)) }];
  });
  return {
    claim: "The order of policies, of their rules and of their roles changes no decision.",
    why: "with the order reversed, every decision is the same",
    of: async (prover) => {
      const { formulas } = prover.world;
      const { permitted, supported } = prover.outcomes(set);
      const differs = turned.map(({ name, policies }) => {
        const after = prover.allowsBy(policies, name);
        return formulas.not(formulas.same(name === "permission" ? permitted : supported, after));
      });
      // `decide` cannot show a difference here: there is only one policy set to ask.
      const found = await prover.find(formulas.or(...differs), solver, () => false);
      return found.kind === "none" ? undefined : unproven(prover, whyOf(found));
    },
  };
}

function solvedLaw(set: PolicySet, law: SolvedLaw, solver: Course["solver"]): Law {
  return {
    claim: law.claim,
    why: "no pair of requests breaks it",
    exceptions: law.exceptions,
    of: async (prover) => {
      const result = await law.find(prover, solver);
      const found = result.kind === "nulls" ? result.found : result;
      const isUnusual = result.kind === "nulls" ? ({ nulls: true } as const) : {};
      if (found.kind === "none") return undefined;
      if (found.kind === "unproven") return { ...unproven(prover, found.why), ...isUnusual };
      const opened = law.opened(found.request);
      if (opened === undefined) return unproven(prover, "undecided: the solver's request shows no difference");
      const { before, after, layer } = opened;
      const { outcome } = decideAny(set, requestOf(after));
      const shown = { request: before, changed: after, outcome, layer };
      return {
        result: "broken",
        why: `${questionName(prover)}: the ${layer} layer denies a request, and allows the changed one`,
        ...shown,
        ...(found.kind === "malformed" ? { malformed: true } : {}),
        ...isUnusual,
      };
    },
  };
}

function unproven(prover: QuestionProver, why: string): QuestionResult {
  return { result: "unproven", why: `${questionName(prover)}: ${why}` };
}

/** Policies, rules and roles in the opposite order. */
function turnedRound(policies: FormulaLayer): FormulaLayer {
  const { model } = policies;
  const turned: PolicyModel = {
    ...model,
    resourcePolicies: model.resourcePolicies.toReversed().map(withRulesTurned),
    principalPolicies: model.principalPolicies
      .toReversed()
      .map((policy) => ({ ...policy, rules: policy.rules.toReversed() })),
    rolePolicies: model.rolePolicies.toReversed().map((policy) => ({ ...policy, rules: policy.rules.toReversed() })),
  };
  return { ...policies, model: turned, index: new PolicyIndex(turned) };
}

/** A policy of a bundle has no fields of its own that a spread would copy. */
function withRulesTurned(policy: ResourcePolicy): ResourcePolicy {
  const { key, version, versionAt, scope, annotations, definitions, at, name, resource, scopePermissions } = policy;
  const { derivedRoles, principalSchema, resourceSchema } = policy;
  const rules = policy.rules.toReversed().map((rule) => ({ ...rule, roles: rule.roles.toReversed() }));
  return {
    kind: "resource",
    ...{ key, version, versionAt, scope, annotations, definitions, at, name, resource, scopePermissions },
    ...{ derivedRoles, principalSchema, resourceSchema, rules },
  };
}
