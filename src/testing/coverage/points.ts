/** The points to cover in a set of policies. */

import type { Expr } from "../../cel/ast.js";
import { hasBooleanForm } from "../../cel/expression-usage.js";
import { positionText, type SourcePosition } from "../../policy/issue.js";
import type {
  Condition,
  Definitions,
  DerivedRole,
  Expression,
  PolicyEffect,
  PolicyModel,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
  Rule,
} from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";

interface CoveragePointBase extends SourcePosition {
  /** The policy that contains the point, or one of those that use it: `resource.api.vplatform`. */
  readonly policy: string;
}

/** A rule. `reached` counts the requests that it applies to; `decisive` those where its effect became the answer. */
export interface RulePoint extends CoveragePointBase {
  readonly kind: "rule";
  /** The rule's name as verdicts give it; for an unnamed rule of a role policy, the resource. */
  readonly name: string;
  /** The rule's effect. A role policy's rule is `restrict`: it allows the listed actions and denies the rest. */
  readonly effect: PolicyEffect | "restrict";
  reached: number;
  decisive: number;
}

/** A derived role: how often it was active, was inactive, or erred. */
export interface DerivedRolePoint extends CoveragePointBase {
  readonly kind: "derivedRole";
  readonly name: string;
  readonly conditional: boolean;
  trues: number;
  falses: number;
  errors: number;
}

/** An expression: a leaf of a condition, a variable or an output. */
export interface ExpressionPoint extends CoveragePointBase {
  readonly kind: "condition" | "variable" | "output";
  /** The rule or derived role of a condition or an output; the name of a variable. */
  readonly name: string;
  readonly expression: string;
  readonly endLine: number;
  /** A constant condition has only one value to cover. */
  readonly constant: boolean | undefined;
  /** Whether its syntax shows that it is a boolean (or errs). Otherwise its evaluations show that. */
  readonly isBoolean: boolean;
  trues: number;
  falses: number;
  errors: number;
  /** Non-boolean values. */
  others: number;
}

export type CoveragePoint = RulePoint | DerivedRolePoint | ExpressionPoint;

/** Finds the point of a rule, derived role or expression. Parts of the model with one source position share a point. */
export class PointIndex {
  private readonly byPlace = new Map<string, CoveragePoint>();
  private readonly byPosition = new Map<SourcePosition, RulePoint | DerivedRolePoint>();
  private readonly byExpression = new Map<Expression, ExpressionPoint>();

  constructor({ resourcePolicies, principalPolicies, rolePolicies }: PolicyModel) {
    for (const policy of resourcePolicies) {
      this.addPolicy(policy);
      for (const role of policy.derivedRoles.values()) this.addDerivedRole(policy, role);
    }
    for (const policy of principalPolicies) this.addPolicy(policy);
    for (const policy of rolePolicies) this.addRolePolicy(policy);
  }

  get points(): readonly CoveragePoint[] {
    return [...this.byPlace.values()];
  }

  at(position: SourcePosition): RulePoint | DerivedRolePoint | undefined {
    return this.byPosition.get(position);
  }

  of(expression: Expression): ExpressionPoint | undefined {
    return this.byExpression.get(expression);
  }

  private addPolicy(policy: ResourcePolicy | PrincipalPolicy): void {
    for (const rule of policy.rules) this.addRule(policy.key, rule);
    this.addDefinitions(policy.key, policy.definitions);
  }

  private addRule(policy: string, { name, effect, at, condition, output }: Rule): void {
    this.place(at, { kind: "rule", policy, name, effect, ...at, reached: 0, decisive: 0 });
    this.addCondition(policy, name, condition);
    for (const expression of [output?.ruleActivated, output?.conditionNotMet]) {
      if (expression !== undefined) this.addExpression("output", policy, name, expression);
    }
  }

  private addRolePolicy(policy: RolePolicy): void {
    for (const { name, resource, at, condition } of policy.rules) {
      const shown = name === "" ? resource : name;
      this.place(at, {
        kind: "rule",
        policy: policy.key,
        name: shown,
        effect: "restrict",
        ...at,
        reached: 0,
        decisive: 0,
      });
      this.addCondition(policy.key, shown, condition);
    }
  }

  private addDerivedRole({ key }: ResourcePolicy, { name, condition, definitions, at }: DerivedRole): void {
    const conditional = condition !== undefined;
    const counts = { trues: 0, falses: 0, errors: 0 };
    this.place(at, { kind: "derivedRole", policy: key, name, conditional, ...at, ...counts });
    this.addCondition(key, name, condition);
    this.addDefinitions(key, definitions);
  }

  private addCondition(policy: string, name: string, condition: Condition | undefined): void {
    for (const expression of expressionsOfCondition(condition))
      this.addExpression("condition", policy, name, expression);
  }

  private addDefinitions(policy: string, { variables }: Definitions): void {
    for (const [name, expr] of variables) this.addExpression("variable", policy, name, expr);
  }

  private addExpression(kind: ExpressionPoint["kind"], policy: string, name: string, expression: Expression): void {
    const at = expression.position(0);
    const known = this.byPlace.get(`expression ${positionText(at)}`);
    if (known !== undefined && "expression" in known) {
      this.byExpression.set(expression, known);
      return;
    }
    const { source, expr } = expression;
    const constant = constantOf(expr);
    const point: ExpressionPoint = {
      kind,
      policy,
      name,
      ...at,
      expression: source,
      endLine: expression.position(Math.max(source.length - 1, 0)).line,
      constant,
      isBoolean: kind === "condition" || constant !== undefined || hasBooleanForm(expr),
      trues: 0,
      falses: 0,
      errors: 0,
      others: 0,
    };
    this.byPlace.set(`expression ${positionText(at)}`, point);
    this.byExpression.set(expression, point);
  }

  private place(position: SourcePosition, point: RulePoint | DerivedRolePoint): void {
    const key = `${point.kind} ${positionText(position)}`;
    const known = this.byPlace.get(key);
    const kept = known === undefined || "expression" in known ? point : known;
    this.byPlace.set(key, kept);
    this.byPosition.set(position, kept);
  }
}

function constantOf(expr: Expr): boolean | undefined {
  return expr.kind === "literal" && typeof expr.value === "boolean" ? expr.value : undefined;
}
