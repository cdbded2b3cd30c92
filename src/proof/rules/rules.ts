/**
 * Faulty rules of a set, as far as a solver proves them: conditions that never hold or never fail, and rules that can
 * be removed without changing a decision. Unproven faults are not reported.
 * A rule that is found redundant counts as removed when later rules are examined, so all of them can be removed at
 * once. If two rules say the same, the later one is redundant.
 */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { FormulaReading } from "../../engine/formula/attribute-formulas.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { FormulaLayer, PlanWithRequests } from "../../engine/formula/plan-formulas.js";
import type { Plan, PlannedRule, PlanRow, PlanStep } from "../../engine/plan/plan.js";
import type { PolicyModel, PrincipalPolicy, ResourcePolicy } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { readsActiveRoles } from "../../policy/policy-expressions.js";
import type { Solver } from "../../solver/solver.js";
import { LAYERS, PRINCIPALS, type SpaceLayer } from "../../space/dimension.js";
import { layerPolicies } from "../layer-policies.js";
import type { QuestionProver } from "../question-prover.js";
import type { FaultyRule, RuleFault, RulePlace } from "./types.js";

type RuledPolicy = ResourcePolicy | PrincipalPolicy;

/** Finds faults in rules of resource and principal policies. `asked`: a prover for each question. */
export async function faultyRules(
  set: PolicySet,
  asked: readonly QuestionProver[],
  solver: Solver,
): Promise<readonly FaultyRule[]> {
  const found: FaultyRule[] = [];
  for (const name of LAYERS) {
    const layer = set[name];
    if (layer === undefined) continue;
    const policies = layerPolicies(set, layer);
    const examination = new Examination(name, policies, asked, solver);
    for (const policy of policiesIn(set.model, layer.version)) {
      for (const order of [...policy.rules.keys()].toReversed()) {
        const fault = await examination.faultOf(policy, order);
        if (fault !== undefined) found.push({ policy: policy.key, order, fault });
      }
    }
  }
  return found;
}

function policiesIn({ resourcePolicies, principalPolicies }: PolicyModel, version: string): readonly RuledPolicy[] {
  return [...principalPolicies, ...resourcePolicies].filter((policy) => policy.version === version);
}

/** The plans of one question: all of a layer, or those that contain a rule. */
interface Examined {
  readonly prover: QuestionProver;
  readonly plans: readonly PlanWithRequests[];
}

class Examination {
  private readonly layer: SpaceLayer;
  private readonly policies: FormulaLayer;
  private readonly solver: Solver;
  private readonly questions: readonly Examined[];
  private readonly removed = new Set<string>();

  constructor(layer: SpaceLayer, policies: FormulaLayer, asked: readonly QuestionProver[], solver: Solver) {
    this.layer = layer;
    this.policies = policies;
    this.solver = solver;
    this.questions = asked.map((prover) => {
      const { kind, operation } = prover.question;
      const question = { kind: sanitise(kind), action: operation };
      return { prover, plans: prover.plans.plansOf(policies, PRINCIPALS[layer], question) };
    });
  }

  async faultOf(policy: RuledPolicy, order: number): Promise<RuleFault | undefined> {
    const key = keyOf({ policy: policy.key, order });
    const rule = policy.rules[order];
    const questions = this.questions.flatMap(({ prover, plans }) => {
      const own = plans.filter(({ plan }) => plan.rules.some((one) => keyOf(one) === key));
      return own.length === 0 ? [] : [{ prover, plans: own }];
    });
    if (rule === undefined || questions.length === 0) return undefined;
    const ofCondition = rule.condition === undefined ? undefined : await this.conditionFault(policy, order, questions);
    if (ofCondition !== undefined) return ofCondition;
    // A rule yields its output even when it is not decisive. A veto is two rules in one.
    const isVeto = questions.some(({ plans }) => rowsOf(plans, key).some(({ row }) => row.rule.effect !== rule.effect));
    if (isVeto || (rule.output !== undefined && rule.effect === "deny") || this.setsRoles(policy, order))
      return undefined;
    if (!(await this.isIdle(key, questions))) return undefined;
    const isAllow = rule.effect === "allow";
    if (isAllow && (await this.isRefused(key, questions))) {
      return { kind: "shadowed", by: (await this.covering(key, ["deny"], questions)) ?? [] };
    }
    const by =
      (await this.covering(key, [rule.effect], questions)) ??
      (isAllow ? ((await this.covering(key, ["allow", "deny"], questions)) ?? []) : undefined);
    // A denial that no other denial covers may give the reason for refusing an operation that nobody may do.
    if (rule.output !== undefined || by === undefined) return undefined;
    this.removed.add(key);
    return { kind: "redundant", by };
  }

  private async conditionFault(
    policy: RuledPolicy,
    order: number,
    questions: readonly Examined[],
  ): Promise<RuleFault | undefined> {
    const { definitions } = policy;
    const condition = policy.rules[order]?.condition;
    const [never, always] = [new Set<Examined>(), new Set<Examined>()];
    for (const one of questions) {
      const { prover, plans } = one;
      const { formulas } = prover.world;
      const readings = rowsOf(plans, keyOf({ policy: policy.key, order })).map((row) => this.reading(prover, row));
      const truths = readings.map((reading) => prover.plans.condition({ condition, definitions }, reading));
      if (await this.isExcluded(prover, formulas.or(...truths.map(({ holds }) => holds)))) never.add(one);
      if (await this.isExcluded(prover, formulas.or(...truths.map(({ fails }) => fails)))) always.add(one);
      if (!never.has(one) && !always.has(one)) return undefined;
    }
    if (never.size === questions.length)
      return { kind: always.size === questions.length ? "always_errs" : "never_holds" };
    return always.size === questions.length ? { kind: "never_fails" } : undefined;
  }

  /** Does the layer decide every request alike without a rule? Rules already removed stay removed. */
  private async isIdle(key: string, questions: readonly Examined[]): Promise<boolean> {
    for (const { prover, plans } of questions) {
      const { formulas } = prover.world;
      const before = this.allows(prover, plans, this.removed);
      const after = this.allows(prover, plans, new Set([...this.removed, key]));
      if (!(await this.isExcluded(prover, formulas.not(formulas.same(before, after))))) return false;
    }
    return true;
  }

  /** Does the layer refuse whenever a rule holds? */
  private async isRefused(key: string, questions: readonly Examined[]): Promise<boolean> {
    for (const { prover, plans } of questions) {
      const { formulas } = prover.world;
      const allowed = rowsOf(plans, key).map((one) => {
        // Permissions from another role of the key are not due to this rule.
        const roles = one.of.plan.roles.filter(({ role }) => role === one.role);
        const own = { ...one.of, plan: { ...one.of.plan, roles } };
        return formulas.and(this.applies(prover, one), this.allows(prover, [own], this.removed));
      });
      if (!(await this.isExcluded(prover, formulas.or(...allowed)))) return false;
    }
    return true;
  }

  /** The fewest rules of an effect such that one of them holds whenever `key` does; undefined if unproven. */
  private async covering(
    key: string,
    effects: readonly ("allow" | "deny")[],
    questions: readonly Examined[],
  ): Promise<readonly RulePlace[] | undefined> {
    const used = new Map<string, RulePlace>();
    for (const { prover, plans } of questions) {
      const { formulas } = prover.world;
      const own = rowsOf(plans, key);
      const when = formulas.or(...own.map((one) => this.applies(prover, one)));
      const others = new Map<string, { readonly place: RulePlace; readonly holds: Formula }>();
      for (const one of plans.flatMap((of) => rowsIn(of))) {
        const { rule } = one.row;
        const other = keyOf(rule);
        if (other === key || !effects.includes(rule.effect) || this.removed.has(other)) continue;
        const holds = formulas.or(others.get(other)?.holds ?? formulas.no, this.applies(prover, one));
        others.set(other, { place: { policy: rule.policy, order: rule.order }, holds });
      }
      const isCovered = async (by: readonly Formula[]) =>
        await this.isExcluded(prover, formulas.and(when, formulas.not(formulas.or(...by))));
      let left = [...others.keys()];
      const holdingOf = (keys: readonly string[]) => keys.flatMap((other) => others.get(other)?.holds ?? []);
      if (!(await isCovered(holdingOf(left)))) return undefined;
      for (const other of left) {
        const fewer = left.filter((one) => one !== other);
        if (await isCovered(holdingOf(fewer))) left = fewer;
      }
      for (const other of left) {
        const place = others.get(other)?.place;
        if (place !== undefined) used.set(other, place);
      }
    }
    return [...used.values()];
  }

  /** When a row applies its effect. */
  private applies(prover: QuestionProver, one: RowOf): Formula {
    const { of, role, step, row } = one;
    const { formulas } = prover.world;
    const has = role === undefined ? formulas.yes : prover.plans.has(PRINCIPALS[this.layer], role);
    return formulas.and(of.is, has, prover.plans.ofRow(row, step, this.reading(prover, one)).holds);
  }

  private reading(prover: QuestionProver, { of: { plan }, step }: Pick<RowOf, "of" | "step">): FormulaReading {
    return prover.plans.reading(plan, step, this.policies, PRINCIPALS[this.layer]);
  }

  private allows(prover: QuestionProver, plans: readonly PlanWithRequests[], without: ReadonlySet<string>): Formula {
    const { formulas } = prover.world;
    return formulas.or(
      ...plans.map(({ plan, is }) =>
        formulas.and(is, prover.plans.ofPlan(withoutRules(plan, without), this.policies, PRINCIPALS[this.layer])),
      ),
    );
  }

  /** Most rules have an effect. So a request that shows it is looked for before a proof that there is none. */
  private async isExcluded(prover: QuestionProver, goal: Formula): Promise<boolean> {
    const found = await prover.find(goal, this.solver, () => true, { isLikely: true });
    return found.kind === "none";
  }

  /** Does a rule determine which derived roles expressions see? Rules that list derived roles do. */
  private setsRoles(policy: RuledPolicy, order: number): boolean {
    if (policy.kind !== "resource" || policy.rules[order]?.derivedRoles.length === 0) return false;
    return readsActiveRoles(policy);
  }
}

/** A row of a plan, and the role that it stands for; undefined: any role. */
interface RowOf {
  readonly of: PlanWithRequests;
  readonly role: string | undefined;
  readonly step: PlanStep;
  readonly row: PlanRow;
}

function rowsIn(of: PlanWithRequests): readonly RowOf[] {
  const { personal, roles } = of.plan;
  const inSteps = (role: string | undefined, steps: readonly PlanStep[]) =>
    steps.flatMap((step) => step.rows.map((row): RowOf => ({ of, role, step, row })));
  return [...inSteps(undefined, personal), ...roles.flatMap(({ role, steps }) => inSteps(role, steps))];
}

function rowsOf(plans: readonly PlanWithRequests[], key: string): readonly RowOf[] {
  return plans.flatMap((of) => rowsIn(of).filter(({ row }) => keyOf(row.rule) === key));
}

function withoutRules(plan: Plan, without: ReadonlySet<string>): Plan {
  const left = (steps: Plan["personal"]) =>
    steps.map((step) => ({ ...step, rows: step.rows.filter(({ rule }) => !without.has(keyOf(rule))) }));
  return {
    ...plan,
    personal: left(plan.personal),
    roles: plan.roles.map((role) => ({ ...role, steps: left(role.steps) })),
  };
}

function keyOf({ policy, order }: Pick<PlannedRule, "policy" | "order">): string {
  return `${policy}#${order}`;
}
