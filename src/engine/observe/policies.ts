/** Traces policies. */

import { addTo } from "../../policy/groups.js";
import type { Definitions } from "../../policy/model.js";
import { type ConditionFinding, outputWhere } from "../evaluate/examination.js";
import type { LayerEvaluation } from "../evaluate/layer.js";
import { matchedRoles } from "../plan/actions.js";
import { ANY_ROLE, type Conditional, type PlannedRule, type PlanRow } from "../plan/plan.js";
import type { IndexedPolicy } from "../plan/policy-index.js";
import { type GuardingRole, type IndexedPlanRule, isVeto } from "../plan/rules.js";
import { targetOf } from "../plan/targets.js";
import type { ExpressionTracer, VariableIndex } from "./expressions.js";
import type {
  ConditionTrace,
  DerivedRoleTrace,
  OutputTrace,
  PolicyTrace,
  RuleState,
  RuleTrace,
  VariableTrace,
} from "./types.js";

export function tracePolicies(
  policies: readonly IndexedPolicy[],
  account: LayerEvaluation,
  tracer: ExpressionTracer,
): readonly PolicyTrace[] {
  const held = new Set(account.plan.roles.flatMap(({ role, includes }) => [role, ...includes]));
  const evaluated = { ...account, held: [...held], reached: reachedRows(account) };
  return policies.map((policy) => new PolicyTracer(policy, evaluated, tracer).trace());
}

/** An evaluation, with the values that the trace of each policy needs. */
interface TracedEvaluation extends LayerEvaluation {
  /** The principal's roles, and the roles that they include. */
  readonly held: readonly string[];
  /** The rows of each rule for roles, at the steps that were reached. */
  readonly reached: ReadonlyMap<PlannedRule, readonly Reached[]>;
}

/** A row, with the role of the principal that it belongs to. */
interface Reached {
  readonly role: string;
  readonly row: PlanRow;
}

class PolicyTracer {
  private readonly policy: IndexedPolicy;
  private readonly evaluated: TracedEvaluation;
  private readonly tracer: ExpressionTracer;
  /** The rules about the request's kind and action. */
  private readonly about: ReadonlySet<IndexedPlanRule>;
  /** For each set of definitions, the index of its first variable among those of the policy. */
  private readonly starts = new Map<Definitions, number>();

  constructor(policy: IndexedPolicy, evaluated: TracedEvaluation, tracer: ExpressionTracer) {
    this.policy = policy;
    this.evaluated = evaluated;
    this.tracer = tracer;
    this.about = new Set(policy.about(evaluated.kind, evaluated.action));
    let count = 0;
    for (const definitions of [policy.source.definitions, ...this.guards().map(({ role }) => role.definitions)]) {
      if (this.starts.has(definitions)) continue;
      this.starts.set(definitions, count);
      count += definitions.variables.size;
    }
  }

  trace(): PolicyTrace {
    const { key, kind, scope, at } = this.policy.source;
    return {
      policy: key,
      kind,
      scope,
      at,
      derivedRoles: this.guards().map((guard) => this.derivedRole(guard)),
      rules: this.policy.byAction.rows.map((rule) => this.rule(rule)),
      variables: this.variables(),
    };
  }

  private guards(): readonly GuardingRole[] {
    return [...this.policy.derivedRoles.values()];
  }

  private variables(): readonly VariableTrace[] {
    return [...this.starts.keys()].flatMap((definitions) =>
      [...definitions.variables].map(([name, expr]) => ({
        name,
        at: expr.position(0),
        expression: this.tracer.isSeen(expr)
          ? this.tracer.expression(expr, definitions, this.evaluated.activation, this.indexOf)
          : undefined,
      })),
    );
  }

  private readonly indexOf: VariableIndex = (definitions, name) => {
    const start = this.starts.get(definitions);
    const index = [...definitions.variables.keys()].indexOf(name);
    return start === undefined || index < 0 ? undefined : start + index;
  };

  private derivedRole(guard: GuardingRole): DerivedRoleTrace {
    const { role, parentRoles, activeFor } = guard;
    const matched = this.evaluated.held.filter((name) => matchedRoles(parentRoles, [name]).length > 0);
    const { examination, activation } = this.evaluated;
    const isReached = examination.roles.has(role) || activation.active.has(role.policy);
    const condition = this.condition(role, isReached);
    return {
      name: role.name,
      at: role.at,
      parentRoles: [...activeFor],
      matched,
      state: matched.length === 0 ? this.unheld(guard) : this.heldState(guard, condition),
      condition,
    };
  }

  /** If the principal has no parent role, the derived role was found inactive where a rule for the action lists it. */
  private unheld(guard: GuardingRole): DerivedRoleTrace["state"] {
    const isListed = [...this.about].some(({ guards }) => guards.includes(guard));
    return isListed ? "inactive" : "not_evaluated";
  }

  private heldState({ role }: GuardingRole, condition: ConditionTrace | undefined): DerivedRoleTrace["state"] {
    const { examination, activation } = this.evaluated;
    if (condition === undefined) {
      const names = activation.active.get(role.policy)?.names ?? [];
      return examination.roles.has(role) || names.includes(role.name) ? "active" : "not_evaluated";
    }
    const states = { true: "active", false: "inactive", error: "error", not_evaluated: "not_evaluated" } as const;
    return states[condition.state];
  }

  private rule(indexed: IndexedPlanRule): RuleTrace {
    const { rule, source, guards } = indexed;
    const { name, at } = source;
    const { policy } = this;
    const isRole = policy.source.kind === "role";
    const reached = this.evaluated.reached.get(rule) ?? [];
    const finding = this.evaluated.examination.rules.get(rule)?.finding;
    const { reasons } = this.evaluated.verdict;
    return {
      name,
      reason: rule.reason.reason,
      at,
      effect: isRole ? "restrict" : rule.effect,
      vetoes: "effect" in source && policy.source.kind !== "role" && isVeto(policy.source, source),
      actions: targetOf(policy.source, source).actions,
      roles: policy.source.kind === "role" ? [policy.source.role] : "roles" in source ? source.roles : ["*"],
      derivedRoles: guards.map(({ role }) => role.name),
      matched: [...new Set(reached.flatMap((one) => this.appliesBy(one)))],
      state: this.state(indexed, reached, finding),
      condition: this.condition(isRole ? { ...rule, condition: source.condition } : rule, finding !== undefined),
      outputs: this.outputs(indexed, finding),
      decided: reasons.some(
        (reason) => reason.kind !== "default" && reason.policy === policy.key && reason.rule === name && name !== "",
      ),
    };
  }

  /** The role by which a row applies; empty if it does not apply. */
  private appliesBy({ role, row }: Reached): readonly string[] {
    const { guard } = row;
    const applies = guard === undefined || this.evaluated.examination.roles.get(guard) === true;
    return applies ? [row.role === ANY_ROLE ? role : row.role] : [];
  }

  private state(
    indexed: IndexedPlanRule,
    reached: readonly Reached[],
    finding: ConditionFinding | undefined,
  ): RuleState {
    if (this.hasFailed(reached, finding)) return "error";
    const isRole = this.policy.source.kind === "role";
    if (typeof finding === "boolean") return finding === isRole ? "unmet" : "met";
    if (!indexed.isOfKind(this.evaluated.kind)) return "other_kind";
    return this.about.has(indexed) ? "other_role" : "other_action";
  }

  /** Whether a rule, or a derived role that it lists, erred. */
  private hasFailed(reached: readonly Reached[], finding: ConditionFinding | undefined): boolean {
    const findings = reached.map(({ row: { guard } }) => guard && this.evaluated.examination.roles.get(guard));
    return [finding, ...findings].some((found) => typeof found === "object");
  }

  private condition({ condition, definitions }: Conditional, isReached: boolean): ConditionTrace | undefined {
    if (condition === undefined) return undefined;
    const tracer = isReached ? this.tracer : this.tracer.unreached;
    return tracer.condition(condition, definitions, this.evaluated.activation, this.indexOf);
  }

  private outputs({ rule }: IndexedPlanRule, finding: ConditionFinding | undefined): readonly OutputTrace[] {
    const output = outputWhere(rule, finding);
    if (output === undefined) return [];
    const when = finding === true ? "rule_activated" : "condition_not_met";
    const { activation } = this.evaluated;
    return [{ when, expression: this.tracer.expression(output, rule.definitions, activation, this.indexOf) }];
  }
}

function reachedRows({ plan, examination }: LayerEvaluation): ReadonlyMap<PlannedRule, readonly Reached[]> {
  const found = new Map<PlannedRule, Reached[]>();
  for (const { role, steps } of plan.roles) {
    for (const { rows } of steps.filter((step) => examination.steps.has(step))) {
      for (const row of rows) addTo(found, row.rule, { role, row });
    }
  }
  return found;
}
