/** Policies compiled for tracing. */

import { type CompileEnv, Slots } from "../../cel/compile.js";
import type { Position } from "../../policy/issue.js";
import type {
  Condition,
  Definitions,
  DerivedRole,
  OutputExpressions,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
  Variable,
} from "../../policy/model.js";
import { isAbout, matchers } from "../check/actions.js";
import { consenting, kindMatcher, vetoing } from "../check/table.js";
import { compileDefinitions } from "../definitions.js";
import { reasonOf } from "../reason.js";
import { type TracedCondition, traceCondition } from "./conditions.js";
import { type TracedPart, type TraceEnv, traceExpression } from "./expressions.js";
import type { OpenPoint, Points } from "./points.js";
import type { OutputTrace, RuleTrace } from "./types.js";

const ANY = "*";

export interface TracedVariable {
  readonly source: Variable;
  readonly part: TracedPart;
}

export interface TracedDerivedRole {
  readonly id: number;
  readonly source: DerivedRole;
  readonly condition: TracedCondition | undefined;
}

export interface TracedOutput {
  readonly id: number;
  readonly when: OutputTrace["when"];
  readonly part: TracedPart;
}

export interface TracedRule
  extends Pick<RuleTrace, "id" | "name" | "reason" | "at" | "effect" | "vetoes" | "actions" | "roles"> {
  readonly isAbout: (action: string) => boolean;
  readonly isOfKind: (kind: string) => boolean;
  readonly derivedRoles: readonly TracedDerivedRole[];
  readonly condition: TracedCondition | undefined;
  readonly outputs: readonly TracedOutput[];
}

export interface TracedPolicy {
  readonly source: ResourcePolicy | PrincipalPolicy | RolePolicy;
  readonly rules: readonly TracedRule[];
  readonly derivedRoles: readonly TracedDerivedRole[];
  readonly variables: readonly TracedVariable[];
  readonly slots: number;
}

export function tracePolicy(source: TracedPolicy["source"], points: Points): TracedPolicy {
  const compiler = new PolicyTracer(source, points);
  const derivedRoles = source.kind === "resource" ? compiler.derivedRoles(source) : [];
  const rules = compiler.rules(derivedRoles);
  return { source, rules, derivedRoles, variables: compiler.variables, slots: compiler.slots };
}

/** Everything is remembered: parts are evaluated again for their values. */
const EVERYTHING = { has: () => true };

class PolicyTracer {
  readonly variables: TracedVariable[] = [];
  private readonly source: TracedPolicy["source"];
  private readonly points: Points;
  private readonly slotted = new Slots(EVERYTHING);
  private readonly namespaces = new Map<Definitions, Omit<TraceEnv, "add">>();

  constructor(source: TracedPolicy["source"], points: Points) {
    this.source = source;
    this.points = points;
  }

  get slots(): number {
    return this.slotted.count;
  }

  rules(derivedRoles: readonly TracedDerivedRole[]): readonly TracedRule[] {
    const { source } = this;
    if (source.kind === "role") return this.roleRules(source);
    if (source.kind === "principal") {
      return source.rules.map((rule) => this.rule(rule, kindMatcher(rule.resourceName), [ANY], []));
    }
    return source.rules.map((rule) => {
      const listed = rule.derivedRoles.flatMap((name) => derivedRoles.find((role) => role.source.name === name) ?? []);
      return this.rule(rule, () => true, rule.roles, listed);
    });
  }

  derivedRoles(policy: ResourcePolicy): readonly TracedDerivedRole[] {
    return [...policy.derivedRoles.values()].map((source) => {
      const id = this.point("derived_role", source.name, source.name, () => source.at);
      const condition = this.condition(source.condition, source.definitions, source.name, () => source.at);
      return { id, source, condition };
    });
  }

  private rule(
    written: ResourcePolicy["rules"][number] | PrincipalPolicy["rules"][number],
    isOfKind: (kind: string) => boolean,
    roles: readonly string[],
    derivedRoles: readonly TracedDerivedRole[],
  ): TracedRule {
    const rule = this.source.kind !== "role" && consenting(this.source) ? vetoing(written) : written;
    const { name, at, actions, effect } = rule;
    const { definitions } = this.source;
    const rows = matchers(actions);
    return {
      id: this.point("rule", name, name, () => at),
      name,
      reason: reasonOf(rule),
      at,
      effect,
      vetoes: rule !== written,
      actions,
      roles,
      isAbout: (action) => isAbout(rows, action),
      isOfKind,
      derivedRoles,
      condition: this.condition(rule.condition, definitions, name, () => at),
      outputs: this.outputs(rule.output, name),
    };
  }

  private roleRules({ role, rules, definitions }: RolePolicy): readonly TracedRule[] {
    return rules.map(({ name, at, allowActions, condition, resource }) => {
      const rows = matchers(allowActions);
      return {
        id: this.point("rule", name, resource, () => at),
        name,
        reason: "",
        at,
        effect: "restrict",
        vetoes: false,
        actions: allowActions,
        roles: [role],
        isAbout: (action) => isAbout(rows, action),
        isOfKind: kindMatcher(resource),
        derivedRoles: [],
        condition: this.condition(condition, definitions, name, () => at),
        outputs: [],
      };
    });
  }

  private outputs(output: OutputExpressions | undefined, rule: string): readonly TracedOutput[] {
    const { definitions } = this.source;
    const all = [
      ["rule_activated", output?.ruleActivated],
      ["condition_not_met", output?.conditionNotMet],
    ] as const;
    return all.flatMap(([when, expression]) => {
      if (expression === undefined) return [];
      const id = this.point("output", rule, expression.source, () => expression.position(0));
      return [{ id, when, part: traceExpression(expression, this.env(definitions, rule)) }];
    });
  }

  private condition(
    condition: Condition | undefined,
    definitions: Definitions,
    owner: string,
    at: () => Position,
  ): TracedCondition | undefined {
    return condition === undefined ? undefined : traceCondition(condition, this.env(definitions, owner), at);
  }

  private env(definitions: Definitions, owner: string): TraceEnv {
    return { ...this.namespace(definitions), add: this.adder(owner) };
  }

  private namespace(definitions: Definitions): Omit<TraceEnv, "add"> {
    const known = this.namespaces.get(definitions);
    if (known !== undefined) return known;
    const env: CompileEnv = compileDefinitions(definitions, this.slotted, String(this.namespaces.size));
    const variables = new Map<string, number>();
    const namespace = { env, variables };
    this.namespaces.set(definitions, namespace);
    for (const source of definitions.variables) {
      const { name, expr } = source;
      this.point("variable", name, expr.source, () => expr.position(0));
      const part = traceExpression(expr, { env, variables, add: this.adder(name) });
      variables.set(name, this.variables.push({ source, part }) - 1);
    }
    return namespace;
  }

  private adder(name: string): TraceEnv["add"] {
    return (point) => this.points.add({ ...point, name, policy: this.source.key });
  }

  private point(kind: OpenPoint["kind"], name: string, text: string, at: () => Position): number {
    return this.points.add({ kind, name, text, at, policy: this.source.key, condition: false });
  }
}
