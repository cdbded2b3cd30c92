/** The questions that tell which powers a key has: made once for a policy set. */

import { usageOf } from "../cel/expression-usage.js";
import type { CompiledPlan } from "../engine/evaluate/compiled-plan.js";
import type { Layer } from "../engine/evaluate/layer.js";
import { PlanPair } from "../engine/evaluate/plan-pair.js";
import { BoundedCache } from "../engine/plan/bounded-cache.js";
import { PlanContents } from "../engine/plan/plan-contents.js";
import { questionsIn } from "../engine/plan/questions.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import { targetsOf } from "../engine/plan/targets.js";
import { type Filter, type FilterRow, NO } from "../engine/residual/filter.js";
import { policiesOfVersion } from "../policy/all-policies.js";
import { isGlob } from "../policy/glob.js";
import { otherThan } from "../policy/glob-classes.js";
import type { AnyPolicy } from "../policy/model.js";
import { expressionsOf } from "../policy/policy-expressions.js";
import { planForm, rowsOf } from "./plan-form.js";
import type { PolicySet } from "./policy-set.js";
import type { DecisionRequest } from "./types.js";

/** The rows that a key may touch. */
export interface KeyRows {
  /** Where schemas are enforced, they may refuse some of these rows: the same ones to every key. */
  readonly filter: Filter;
  /** Whether the filter depends on the time. */
  readonly readsClock: boolean;
}

const sets = new WeakMap<PolicySet, CoverageQuestions>();

export class CoverageQuestions {
  readonly all: readonly CoverageQuestion[];
  /** Whether every request is like one of these. */
  readonly areComplete: boolean;

  private constructor({ permission, model }: PolicySet) {
    const ofLayer = policiesOfVersion(model, permission.version);
    const { questions, areAll } = questionsIn(ofLayer);
    const { resourceScopes } = permission.index;
    const scopes = [...new Set(["", ...resourceScopes, otherThan(resourceScopes)])];
    this.all = questions.flatMap(({ kind, operation }) =>
      scopes.map((scope) => new CoverageQuestion(kind, operation, scope)),
    );
    this.areComplete = areAll && !readsExamples(ofLayer, permission);
  }

  /** Of a policy set. */
  static of(policies: PolicySet): CoverageQuestions {
    const known = sets.get(policies) ?? new CoverageQuestions(policies);
    sets.set(policies, known);
    return known;
  }
}

/**
 * Whether expressions read the part of a question that is only an example of others: the kind, where patterns of kinds
 * match, or the scope, where a scope that no policy has can be allowed.
 */
function readsExamples(policies: readonly AnyPolicy[], { hasPersonal, searchesLeniently }: Layer): boolean {
  const roots = new Set(
    policies.flatMap((policy) =>
      expressionsOf(policy).flatMap(({ expr }) => usageOf(expr).reads.map(({ root }) => root)),
    ),
  );
  const reads = (name: string) => roots.has(`R.${name}`) || roots.has("R") || roots.has("request");
  const hasPatterns = targetsOf(policies).some(({ kind }) => isGlob(kind));
  return (reads("kind") && hasPatterns) || (reads("scope") && (hasPersonal || searchesLeniently));
}

/** The most contents of plans that are kept for a question. */
const MAX_CONTENTS = 64;

/** After this many numbers of contents all are dropped: callers choose the roles, so there may be any number. */
const MAX_NUMBERS = 16_384;

/** An operation on a kind, in a scope. */
export class CoverageQuestion {
  readonly kind: string;
  readonly operation: string;
  private readonly row: ResourceInput;
  private contents = new PlanContents();
  /** Keys with equal contents of plans share one form. */
  private byContent = new BoundedCache<number, SharedPlan>(MAX_CONTENTS);
  private readonly byPlan = new WeakMap<CompiledPlan, SharedPlan>();

  constructor(kind: string, operation: string, scope: string) {
    this.kind = kind;
    this.operation = operation;
    this.row = { kind, id: "row", attr: {}, scope };
  }

  /** The rows on which the permission layer allows a key the operation. `id`: of all rows, if they have one in common. */
  rowsOf(policies: PolicySet, key: PrincipalInput, id?: string): KeyRows {
    const { permission } = policies;
    const resource = id === undefined ? this.row : { ...this.row, id };
    const { pair, allows } = this.shared(permission.planFor(key, resource, this.operation));
    if (!allows) return { filter: NO, readsClock: false };
    const known = { now: undefined, knowsId: id !== undefined };
    const request = { key, account: key, resource, action: this.operation, ...known };
    const { form, filling, readsClock } = planForm(policies, pair, request, "schemas apart");
    return { filter: rowsOf(form, filling).filter, readsClock };
  }

  private shared(plan: CompiledPlan): SharedPlan {
    const known = this.byPlan.get(plan);
    if (known !== undefined) return known;
    if (this.contents.size > MAX_NUMBERS) {
      this.contents = new PlanContents();
      this.byContent = new BoundedCache(MAX_CONTENTS);
    }
    const content = this.contents.number(this.contents.plan(plan.plan));
    const shared = this.byContent.get(content) ?? new SharedPlan(plan);
    this.byContent.set(content, shared);
    this.byPlan.set(plan, shared);
    return shared;
  }

  /** The resource of a request about a row. */
  resourceOf({ id, attr }: FilterRow): DecisionRequest["resource"] {
    const { kind, scope } = this.row;
    const placed = scope === "" ? {} : { scope };
    return Object.assign(Object.create(Object.prototype), { kind, id, attr: { ...attr } }, placed);
  }
}

/** A plan that stands for all plans with the same content. */
class SharedPlan {
  readonly pair: PlanPair;
  /** True if a rule may allow a row. */
  readonly allows: boolean;

  constructor(plan: CompiledPlan) {
    const { isKnown, rules } = plan.plan;
    this.pair = new PlanPair(plan, undefined);
    this.allows = isKnown && rules.some(({ effect }) => effect === "allow");
  }
}
