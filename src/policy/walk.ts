/** The expressions and derived roles of a checked policy. */

import type { Expr } from "../cel/ast.js";
import { variableOf } from "../cel/expression-usage.js";
import type { AnyPolicy, AnyRule, Condition, Definitions, DerivedRole, Expression, Rule } from "./model.js";

/** Every expression that a policy can evaluate. */
export function expressionsOf(policy: AnyPolicy): readonly Expression[] {
  if (policy.kind !== "resource") {
    return [...policy.rules.flatMap(expressionsOfRule), ...expressionsOfDefinitions(policy.definitions)];
  }
  const roles = [...policy.derivedRoles.values()];
  return [
    ...policy.rules.flatMap(expressionsOfRule),
    ...expressionsOfDefinitions(policy.definitions),
    ...roles.flatMap((role) => expressionsOfCondition(role.condition)),
    ...roles.flatMap((role) => expressionsOfDefinitions(role.definitions)),
  ];
}

/** The expressions of a rule's condition and outputs; those of its derived roles are not among them. */
export function expressionsOfRule(rule: Pick<Rule, "condition" | "output">): readonly Expression[] {
  const { condition, output } = rule;
  return [
    ...expressionsOfCondition(condition),
    ...[output?.ruleActivated, output?.conditionNotMet].filter((e) => e !== undefined),
  ];
}

export function expressionsOfCondition(condition: Condition | undefined): readonly Expression[] {
  if (condition === undefined) return [];
  return condition.kind === "expr" ? [condition.expr] : condition.of.flatMap(expressionsOfCondition);
}

/** The derived roles that a rule lists. */
export function derivedRolesOf(policy: AnyPolicy, rule: AnyRule): readonly DerivedRole[] {
  if (policy.kind !== "resource" || !("derivedRoles" in rule)) return [];
  return rule.derivedRoles.flatMap((name) => policy.derivedRoles.get(name) ?? []);
}

/** What `expr` stands for, if it is the name of a variable. */
export function definitionOf(expr: Expr, { variables }: Definitions): Expression | undefined {
  const variable = variableOf(expr);
  return variable === undefined ? undefined : variables.find(({ name }) => name === variable)?.expr;
}

function expressionsOfDefinitions(definitions: Definitions): readonly Expression[] {
  return definitions.variables.map((variable) => variable.expr);
}
