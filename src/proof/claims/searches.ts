/** The search for a request that breaks a claim, for each form of claims. */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Decision, Outcome } from "../../decisions/types.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { sanitise } from "../../policy/names.js";
import { LAYERS, PRINCIPALS, type SpaceLayer } from "../../space/dimension.js";
import { type RequestJson, requestOf } from "../../space/draft.js";
import { sameSearches } from "../laws/searches.js";
import { SecondRequest } from "../laws/second-request.js";
import { layerPolicies } from "../layer-policies.js";
import type { KeyedQuestion, QuestionProver } from "../question-prover.js";
import { enforcedFacts } from "../schema-formulas.js";
import { assumed, satisfies } from "./assumptions.js";
import { keyedRequest, translateKey, withKey } from "./keyed-request.js";
import type { Claim, OutcomeClaim, Proved, ReasonClaim, SubsetClaim, TogetherClaim } from "./types.js";
import { isValid, validityFacts } from "./validity.js";

/** The requests to look for, on one question. */
export interface ClaimSearch {
  readonly goal: Formula;
  /** Facts about other requests in the goal. */
  readonly others: readonly Formula[];
  /** A second request with the same key. */
  readonly second?: KeyedQuestion;
  /** The requests that break the claim, decided; undefined: none that start from these do. */
  broken(request: RequestJson, second?: RequestJson): BrokenBy | undefined;
}

export type BrokenBy = Required<Pick<Proved, "request" | "outcome">> & Pick<Proved, "changed" | "reasons">;

/** The claim, and the set that it is about. */
export interface AskedClaim {
  readonly set: PolicySet;
  readonly claim: Claim;
  readonly prover: QuestionProver;
  /** The question of the second request, for a claim about two operations apart. */
  readonly second?: OperationQuestion | undefined;
}

/** The requests that satisfy the assumptions of a claim: without one, the claim is empty. */
export function assumption(asked: AskedClaim): ClaimSearch {
  const { claim, prover, set } = asked;
  const { form, assume } = claim;
  const any = (request: RequestJson): BrokenBy | undefined =>
    isAssumed(asked, request) ? { request, outcome: "allow" } : undefined;
  const holds = assumed(prover, assume.expressions);
  if (form.kind !== "subset") return { goal: holds, others: validity(asked), broken: any };
  translateKey(prover, form.lesser);
  const lower = keyedRequest(prover, set, form.lesser, LESSER);
  return {
    goal: lower.of(holds),
    others: [...lower.facts, ...validity(asked).map((fact) => lower.of(fact))],
    broken: (request) => any(withKey(request, form.lesser)),
  };
}

/** The search for each form but `absent`, which needs none. */
export function searchOf(asked: AskedClaim): ClaimSearch | undefined {
  const { form } = asked.claim;
  switch (form.kind) {
    case "outcomes":
      return ofOutcomes(asked, form);
    case "reasons":
      return ofReasons(asked, form);
    case "together":
      return form.isApart ? ofTwoRequests(asked) : ofOneResource(asked, form);
    case "subset":
      return ofTwoKeys(asked, form);
    case "absent":
      return undefined;
  }
}

/** A request with an outcome that the claim excludes. */
function ofOutcomes(asked: AskedClaim, { never }: OutcomeClaim): ClaimSearch {
  const { set, claim, prover } = asked;
  const { formulas } = prover.world;
  const outcomes = prover.outcomes(set);
  const breaks = formulas.or(...never.map((outcome) => outcomes[BY_OUTCOME[outcome]]));
  const goal = formulas.and(assumed(prover, claim.assume.expressions), breaks);
  return {
    goal,
    others: validity(asked),
    broken: (request) => {
      const { outcome } = decided(set, request);
      return never.includes(outcome) && isAssumed(asked, request) ? { request, outcome } : undefined;
    },
  };
}

/** A refusal that lacks a reason of the claim, or gives another one. */
function ofReasons(asked: AskedClaim, { all, only }: ReasonClaim): ClaimSearch {
  const { set, claim, prover } = asked;
  const { formulas } = prover.world;
  const { insufficient, forbidden, faulty } = prover.outcomes(set);
  const refused = { permission: insufficient, platform: forbidden };
  const names = new Set(only?.map(({ name }) => name));
  const isOther = (reason: string) => only !== undefined && !names.has(reason);
  const breaks = formulas.or(
    ...LAYERS.map((layer) => {
      const gives = (isChosen: (reason: string) => boolean) => given(asked, layer, isChosen);
      const lacks = all.map(({ name }) => formulas.not(gives((reason) => reason === name)));
      return formulas.and(refused[layer], formulas.or(...lacks, gives(isOther)));
    }),
  );
  return {
    goal: formulas.and(assumed(prover, claim.assume.expressions), formulas.not(faulty), breaks),
    others: validity(asked),
    broken: (request) => {
      const decision = decided(set, request);
      const reasons = reasonsOf(decision);
      if (reasons === undefined || !isAssumed(asked, request)) return undefined;
      const isBroken = all.some(({ name }) => !reasons.includes(name)) || reasons.some(isOther);
      return isBroken ? { request, outcome: decision.outcome, reasons } : undefined;
    },
  };
}

function given({ set, prover }: AskedClaim, name: SpaceLayer, isChosen: (reason: string) => boolean): Formula {
  const layer = set[name];
  if (layer === undefined) return prover.world.formulas.no;
  const { kind, operation } = prover.question;
  const question = { kind: sanitise(kind), action: operation };
  return prover.plans.gives(layerPolicies(set, layer), PRINCIPALS[name], question, isChosen, layer.defaultReason);
}

/** The reasons that a refusal gives; undefined for `allow` and for a fault. Errors do not count. */
function reasonsOf({ outcome, fault, permission, platform }: Decision): readonly string[] | undefined {
  if (outcome === "allow" || fault !== undefined) return undefined;
  const { reasons } = outcome === "forbidden" ? platform : permission;
  return [...new Set(reasons.flatMap(({ kind, reason }) => (kind === "error" ? [] : [reason])))];
}

/** A request that is allowed, and so is the same request for the other operation. */
function ofOneResource(asked: AskedClaim, { other }: TogetherClaim): ClaimSearch {
  const { set, claim, prover } = asked;
  const { formulas } = prover.world;
  const both = formulas.and(
    prover.outcomes(set).allow,
    allows(set, prover, { ...prover.question, operation: other.name }),
  );
  return {
    goal: formulas.and(assumed(prover, claim.assume.expressions), both),
    others: validity(asked),
    broken: (request) => {
      const isBoth = [request, { ...request, operation: other.name }].every((one) => isAllowed(set, one));
      return isBoth && isAssumed(asked, request) ? { request, outcome: "allow" } : undefined;
    },
  };
}

/** Two requests with one key that are both allowed. */
function ofTwoRequests(asked: AskedClaim): ClaimSearch {
  const { set, claim, prover, second: question = prover.question } = asked;
  const { world, plans } = prover;
  const { formulas } = world;
  const holds = assumed(prover, claim.assume.expressions);
  const first = formulas.and(holds, prover.outcomes(set).allow);
  const next = formulas.and(holds, allows(set, prover, question));
  prover.close();
  const ofKey = new Set([world.attributes("key"), world.roles]);
  for (const raw of ofKey) for (const member of raw.members.values()) ofKey.add(member);
  const changing = new Set([world.attributes("resource"), world.attributes("account")]);
  const second = new SecondRequest(
    world,
    plans.openRoles.values(),
    (raw, shared, fresh) => (ofKey.has(raw) ? shared : fresh),
    { isSame: sameSearches(world, changing, ["resource.", "account.", "now"]), isApart: true },
  );
  const view = (formula: Formula) => second.of(formula);
  const isOfKind = formulas.same(world.field("resource", "kind"), formulas.text(question.kind));
  const facts = [...world.facts, ...enforcedFacts(set, question, prover)];
  const valid = claim.assume.isValid ? validityFacts(set, prover, question) : [];
  return {
    goal: formulas.and(first, view(next)),
    others: [...[...facts, ...valid].map(view), ...validity(asked)],
    second: { question, view, preferences: [isOfKind, ...world.preferences].map(view) },
    broken: (request, changed) => {
      const both = changed === undefined ? [] : [request, { ...changed, key: request.key }];
      if (changed === undefined || !both.every((one) => isAllowed(set, one) && isAssumed(asked, one))) return undefined;
      return { request, changed: { ...changed, key: request.key }, outcome: "allow" };
    },
  };
}

/** A request that is allowed with the lesser key, and not with the greater one. */
function ofTwoKeys(asked: AskedClaim, { lesser, greater }: SubsetClaim): ClaimSearch {
  const { set, claim, prover } = asked;
  const { formulas } = prover.world;
  for (const key of [lesser, greater]) translateKey(prover, key);
  const { allow } = prover.outcomes(set);
  const holds = formulas.and(assumed(prover, claim.assume.expressions), allow);
  const lower = keyedRequest(prover, set, lesser, LESSER);
  const higher = keyedRequest(prover, set, greater, "with the greater key");
  return {
    goal: formulas.and(lower.of(holds), formulas.not(higher.of(allow))),
    others: [...lower.facts, ...higher.facts, ...validity(asked).map((fact) => lower.of(fact))],
    broken: (any) => {
      const [request, changed] = [withKey(any, lesser), withKey(any, greater)];
      if (!isAllowed(set, request) || !isAssumed(asked, request)) return undefined;
      const { outcome } = decided(set, changed);
      return outcome === "allow" ? undefined : { request, changed, outcome };
    },
  };
}

const LESSER = "with the lesser key";

/** When a question is allowed. */
function allows(set: PolicySet, prover: QuestionProver, { kind, operation }: OperationQuestion): Formula {
  const asked = { kind: sanitise(kind), action: operation };
  return prover.world.formulas.and(
    ...LAYERS.flatMap((name) => {
      const layer = set[name];
      return layer === undefined ? [] : [prover.plans.allows(layerPolicies(set, layer), PRINCIPALS[name], asked)];
    }),
  );
}

/** Facts of the requests of a claim about valid ones. */
function validity({ set, claim, prover }: AskedClaim): readonly Formula[] {
  return claim.assume.isValid ? validityFacts(set, prover) : [];
}

function isAssumed({ set, claim }: AskedClaim, request: RequestJson): boolean {
  const { expressions, isValid: needsValid } = claim.assume;
  return satisfies(expressions, request) && (!needsValid || isValid(set, request));
}

function isAllowed(set: PolicySet, request: RequestJson): boolean {
  return decided(set, request).outcome === "allow";
}

function decided(set: PolicySet, request: RequestJson): Decision {
  return decideAny(set, requestOf(request));
}

const BY_OUTCOME: { readonly [outcome in Outcome]: "allow" | "insufficient" | "forbidden" } = {
  allow: "allow",
  insufficient_permissions: "insufficient",
  forbidden: "forbidden",
};
