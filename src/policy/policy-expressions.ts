/** The expressions and derived roles of a checked policy. */

import type { Expr } from "../cel/ast.js";
import { nameOf, readsActiveRoleNames, usageOf } from "../cel/expression-usage.js";
import type { JsonValue } from "../cel/json.js";
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

/** Whether an expression of the policy reads the set of active derived roles. */
export function readsActiveRoles(policy: AnyPolicy): boolean {
  return expressionsOf(policy).some(({ expr }) => readsActiveRoleNames(expr));
}

/** The expressions of a rule's condition and outputs, without those of its derived roles. */
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

/** The expressions, and the definitions of all variables that they read, directly or indirectly. */
export function reachable<Read extends Pick<Expression, "expr">>({
  expressions,
  definitions,
}: {
  readonly expressions: readonly Read[];
  readonly definitions: Definitions;
}): readonly (Read | Expression)[] {
  const found: (Read | Expression)[] = [...expressions];
  const read = new Set<string>();
  for (const { expr } of found) {
    for (const name of usageOf(expr).variables) {
      if (read.has(name)) continue;
      read.add(name);
      const variable = definitions.variables.get(name);
      if (variable !== undefined) found.push(variable);
    }
  }
  return found;
}

/** The definition of the variable that `expr` names; undefined if `expr` is not a variable. */
export function definitionOf(expr: Expr, { variables }: Definitions): Expression | undefined {
  const variable = nameOf(expr, "variable");
  return variable === undefined ? undefined : variables.get(variable);
}

/** The value of the constant that `expr` names; undefined if `expr` is not a constant. */
export function constantNamedBy(expr: Expr, { constants }: Definitions): JsonValue | undefined {
  const constant = nameOf(expr, "constant");
  return constant === undefined ? undefined : constants.get(constant);
}

function expressionsOfDefinitions({ variables }: Definitions): readonly Expression[] {
  return [...variables.values()];
}
