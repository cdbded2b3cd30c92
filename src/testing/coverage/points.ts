/** The points to cover in a set of policies. */

import type { Expr } from "../../cel/ast.js";
import { hasBooleanForm } from "../../cel/expression-usage.js";
import { positionText, type SourcePosition } from "../../policy/issue.js";
import type {
  AnyPolicy,
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
  SchemaUse,
} from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import { type OperandContext, OperandIndex, type OperandPoint } from "./operands.js";

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

export type CoveragePoint = RulePoint | DerivedRolePoint | ExpressionPoint | OperandPoint;

/** Finds the point of a rule, derived role or expression. Parts of the model with one source position share a point. */
export class PointIndex {
  private readonly byPlace = new Map<string, CoveragePoint>();
  private readonly byPosition = new Map<SourcePosition, RulePoint | DerivedRolePoint>();
  private readonly byExpression = new Map<Expression, ExpressionPoint>();
  readonly operands = new OperandIndex();

  constructor({ resourcePolicies, principalPolicies, rolePolicies }: PolicyModel) {
    for (const policy of resourcePolicies) {
      this.addPolicy(policy);
      for (const role of policy.derivedRoles.values()) this.addDerivedRole(policy, role);
    }
    for (const policy of principalPolicies) this.addPolicy(policy);
    for (const policy of rolePolicies) this.addRolePolicy(policy);
  }

  get points(): readonly CoveragePoint[] {
    return [...this.byPlace.values(), ...this.operands.points];
  }

  at(position: SourcePosition): RulePoint | DerivedRolePoint | undefined {
    return this.byPosition.get(position);
  }

  of(expression: Expression): ExpressionPoint | undefined {
    return this.byExpression.get(expression);
  }

  private addPolicy(policy: ResourcePolicy | PrincipalPolicy): void {
    for (const rule of policy.rules) this.addRule(policy, rule);
    this.addDefinitions(contextOf(policy, policy.definitions));
  }

  private addRule(policy: ResourcePolicy | PrincipalPolicy, { name, effect, at, condition, output }: Rule): void {
    this.place(at, { kind: "rule", policy: policy.key, name, effect, ...at, reached: 0, decisive: 0 });
    const context = { ...contextOf(policy, policy.definitions), name };
    this.addCondition(condition, context);
    for (const expression of [output?.ruleActivated, output?.conditionNotMet]) {
      if (expression === undefined) continue;
      this.addExpression("output", expression, context);
      this.operands.addExpression(expression, context);
    }
  }

  private addRolePolicy(policy: RolePolicy): void {
    const { key } = policy;
    for (const { name, resource, at, condition } of policy.rules) {
      const shown = name === "" ? resource : name;
      const counts = { reached: 0, decisive: 0 };
      this.place(at, { kind: "rule", policy: key, name: shown, effect: "restrict", ...at, ...counts });
      this.addCondition(condition, { ...contextOf(policy, policy.definitions), name: shown });
    }
  }

  private addDerivedRole(policy: ResourcePolicy, { name, condition, definitions, at }: DerivedRole): void {
    const conditional = condition !== undefined;
    const counts = { trues: 0, falses: 0, errors: 0 };
    this.place(at, { kind: "derivedRole", policy: policy.key, name, conditional, ...at, ...counts });
    const context = contextOf(policy, definitions);
    this.addCondition(condition, { ...context, name });
    this.addDefinitions(context);
  }

  private addCondition(condition: Condition | undefined, context: OperandContext): void {
    if (condition === undefined) return;
    for (const expression of expressionsOfCondition(condition)) this.addExpression("condition", expression, context);
    this.operands.addCondition(condition, context);
  }

  private addDefinitions(context: Omit<OperandContext, "name">): void {
    for (const [name, expression] of context.definitions.variables) {
      this.addExpression("variable", expression, { ...context, name });
      this.operands.addExpression(expression, { ...context, name });
    }
  }

  private addExpression(kind: ExpressionPoint["kind"], expression: Expression, { policy, name }: OperandContext): void {
    const at = expression.position(0);
    const known = this.byPlace.get(`expression ${positionText(at)}`);
    if (known !== undefined && "isBoolean" in known) {
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

/** Attributes have declared types only if the schemas hold for every action. */
function contextOf(policy: AnyPolicy, definitions: Definitions): Omit<OperandContext, "name"> {
  const { principalSchema, resourceSchema } = policy.kind === "resource" ? policy : NO_SCHEMAS;
  const refOf = (use: SchemaUse | undefined) => (use?.ignoreActions.length === 0 ? use.ref : undefined);
  return {
    policy: policy.key,
    definitions,
    principalSchema: refOf(principalSchema),
    resourceSchema: refOf(resourceSchema),
  };
}

const NO_SCHEMAS = { principalSchema: undefined, resourceSchema: undefined };

function constantOf(expr: Expr): boolean | undefined {
  return expr.kind === "literal" && typeof expr.value === "boolean" ? expr.value : undefined;
}
