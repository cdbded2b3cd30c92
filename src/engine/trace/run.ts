/** One policy's part in a trace: each rule and derived role is evaluated when it is first needed, and once. */

import { ROOT } from "../../cel/roots.js";
import type { Activation } from "../activation.js";
import type { LayerVerdict } from "../verdict.js";
import { Tracer } from "./evaluate.js";
import type { TracedDerivedRole, TracedPolicy, TracedRule } from "./policies.js";
import type { ConditionTrace, DerivedRoleTrace, OutputTrace, PolicyTrace, RuleState, RuleTrace } from "./types.js";

const ANY = "*";

type DerivedState = Pick<DerivedRoleTrace, "state" | "matched" | "condition">;

interface RuleResult {
  state: "met" | "unmet" | "error" | undefined;
  readonly matched: Set<string>;
  condition: ConditionTrace | undefined;
  readonly outputs: OutputTrace[];
}

/** What a request asks of a policy. */
export interface Question {
  readonly kind: string;
  readonly action: string;
  /** The roles that the principal has, those included by others among them. */
  readonly held: readonly string[];
}

/** What the rules of a policy say to one role. */
export interface Finding {
  readonly allows: boolean;
  readonly denies: boolean;
  readonly erred: boolean;
}

export class PolicyRun {
  readonly policy: TracedPolicy;
  private readonly question: Question;
  private readonly activation: Activation;
  private readonly tracer: Tracer;
  private readonly derived = new Map<TracedDerivedRole, DerivedState>();
  /** As they are before it is known which are active: a condition may read `runtime.effectiveDerivedRoles`. */
  private readonly effective = new Map<TracedDerivedRole, DerivedState>();
  private readonly results = new Map<TracedRule, RuleResult>();

  constructor(policy: TracedPolicy, question: Question, activation: Activation, values: boolean) {
    this.policy = policy;
    this.question = question;
    this.activation = activation;
    this.tracer = new Tracer(activation, policy.variables, values);
  }

  /** Evaluates all derived roles, whether a rule for the action lists them or not. */
  activateAll(): void {
    this.activation.roots[ROOT.effectiveDerivedRoles] = [];
    const active: string[] = [];
    let erred = false;
    for (const role of this.policy.derivedRoles) {
      const found = this.decideDerived(role);
      this.effective.set(role, found);
      if (found.state === "active") active.push(role.source.name);
      erred ||= found.state === "error";
    }
    this.activation.roots[ROOT.effectiveDerivedRoles] = erred ? undefined : active.sort();
  }

  /** The rules for a role, by the names that it goes by: its own, and those of the roles that it includes. */
  examine(names: readonly string[]): Finding {
    let [allows, denies, erred] = [false, false, false];
    for (const rule of this.policy.rules) {
      if (!this.isAbout(rule)) continue;
      const direct = rule.roles.includes(ANY) || names.some((name) => rule.roles.includes(name));
      if (direct)
        this.apply(
          rule,
          names.filter((name) => rule.roles.includes(ANY) || rule.roles.includes(name)),
        );
      let applies = direct;
      for (const role of rule.derivedRoles) {
        const matched = names.filter((name) => isParent(role, name));
        if (matched.length === 0 && !role.source.parentRoles.includes(ANY)) {
          // No role of the principal is a parent: that is known without the condition.
          if (!this.question.held.some((name) => isParent(role, name))) this.derivedRole(role);
          continue;
        }
        const { state } = this.derivedRole(role);
        if (state === "error") {
          this.result(rule).state = "error";
          erred = true;
        } else if (state === "active") {
          applies = true;
          this.apply(rule, matched);
        }
      }
      if (!applies) continue;
      // Of this role: for another one the rule may have failed by a derived role that this one has no part in.
      const { condition } = this.result(rule);
      if (condition?.state === "error") erred = true;
      else if (condition !== undefined && condition.state !== "true") continue;
      else if (rule.effect === "allow") allows = true;
      else if (rule.effect === "deny") denies = true;
    }
    return { allows, denies, erred };
  }

  /** What a role policy takes away from its role: it denies what it does not list, and what it lists that is not so. */
  restrict(role: string): Finding {
    const listed = this.policy.rules.filter((rule) => this.isAbout(rule));
    for (const rule of listed) this.apply(rule, [role]);
    const states = listed.map((rule) => this.result(rule).state);
    return {
      allows: false,
      denies: listed.length === 0 || states.includes("unmet"),
      erred: states.includes("error"),
    };
  }

  trace(verdict: LayerVerdict): PolicyTrace {
    const { source, rules, derivedRoles, variables } = this.policy;
    return {
      policy: source.key,
      kind: source.kind,
      scope: source.scope,
      at: source.at,
      derivedRoles: derivedRoles.map((role) => this.derivedTrace(role)),
      rules: rules.map((rule) => this.ruleTrace(rule, verdict)),
      variables: variables.map(({ source: variable }, i) => ({
        name: variable.name,
        at: variable.expr.position(0),
        expression: this.tracer.variable(i),
      })),
    };
  }

  private isAbout(rule: TracedRule): boolean {
    return rule.isOfKind(this.question.kind) && rule.isAbout(this.question.action);
  }

  private result(rule: TracedRule): RuleResult {
    const known = this.results.get(rule);
    if (known !== undefined) return known;
    const result: RuleResult = { state: undefined, matched: new Set(), condition: undefined, outputs: [] };
    this.results.set(rule, result);
    return result;
  }

  private apply(rule: TracedRule, roles: readonly string[]): void {
    const result = this.result(rule);
    for (const role of roles) result.matched.add(role);
    if (result.condition !== undefined || (result.state !== undefined && result.state !== "error")) return;
    const condition = rule.condition === undefined ? undefined : this.tracer.condition(rule.condition);
    result.condition = condition;
    const holds = condition === undefined || condition.state === "true";
    const state = condition?.state === "error" ? "error" : holds ? "met" : "unmet";
    // A derived role that erred before has failed the rule, whatever its condition says.
    result.state ??= state;
    const when = state === "met" ? "rule_activated" : state === "unmet" ? "condition_not_met" : undefined;
    for (const output of rule.outputs) {
      if (output.when !== when) continue;
      result.outputs.push({ id: output.id, when, expression: this.tracer.expression(output.part).trace });
    }
  }

  private derivedRole(role: TracedDerivedRole): DerivedState {
    const known = this.derived.get(role);
    if (known !== undefined) return known;
    const state = this.decideDerived(role);
    this.derived.set(role, state);
    return state;
  }

  private decideDerived(role: TracedDerivedRole): DerivedState {
    const matched = this.question.held.filter((name) => isParent(role, name));
    const skippedCondition = role.condition && this.tracer.skippedCondition(role.condition);
    if (matched.length === 0) return { state: "inactive", matched, condition: skippedCondition };
    if (role.condition === undefined) return { state: "active", matched, condition: undefined };
    const condition = this.tracer.condition(role.condition);
    const state = condition.state === "true" ? "active" : condition.state === "error" ? "error" : "inactive";
    return { state, matched, condition };
  }

  private derivedTrace(role: TracedDerivedRole): DerivedRoleTrace {
    const { id, source, condition } = role;
    const { name, at, parentRoles } = source;
    const state: DerivedState = this.derived.get(role) ??
      this.effective.get(role) ?? {
        state: "not_evaluated",
        matched: this.question.held.filter((held) => isParent(role, held)),
        condition: condition && this.tracer.skippedCondition(condition),
      };
    return { id, name, at, parentRoles, ...state };
  }

  private ruleTrace(rule: TracedRule, { reasons }: LayerVerdict): RuleTrace {
    const { id, name, reason, at, effect, vetoes, actions, roles } = rule;
    const result = this.results.get(rule);
    const policy = this.policy.source.key;
    return {
      id,
      name,
      reason,
      at,
      effect,
      vetoes,
      actions,
      roles,
      derivedRoles: rule.derivedRoles.map(({ source }) => source.name),
      matched: [...(result?.matched ?? [])],
      state: result?.state ?? this.whyNot(rule),
      condition: result?.condition ?? (rule.condition && this.tracer.skippedCondition(rule.condition)),
      outputs: result?.outputs ?? [],
      decided: reasons.some((r) => r.kind !== "default" && r.policy === policy && r.rule === name && name !== ""),
    };
  }

  private whyNot(rule: TracedRule): RuleState {
    if (!rule.isOfKind(this.question.kind)) return "other_kind";
    return rule.isAbout(this.question.action) ? "other_role" : "other_action";
  }
}

function isParent({ source }: TracedDerivedRole, role: string): boolean {
  return source.parentRoles.includes(ANY) || source.parentRoles.includes(role);
}
