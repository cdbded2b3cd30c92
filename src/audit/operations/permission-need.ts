/**
 * Rules that only a permission of the key's own (`key.attr.permissions`) can satisfy. Sound, not complete: a rule that is
 * not recognised counts as one that needs none.
 */

import type { Expr } from "../../cel/ast.js";
import { requestValueOf } from "../../cel/expression-usage.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { OPERATORS } from "../../cel/operators.js";
import type { AnyPolicy, AnyRule, Condition, Definitions } from "../../policy/model.js";
import { definitionOf, derivedRolesOf } from "../../policy/policy-expressions.js";

/** Does the rule not hold for any key with an empty list of permissions? */
export function needsPermission(policy: AnyPolicy, rule: AnyRule): boolean {
  if (needs(rule.condition, policy.definitions)) return true;
  const derived = derivedRolesOf(policy, rule);
  const isByDerived = derived.length > 0 && !("roles" in rule && rule.roles.length > 0);
  return isByDerived && derived.every(({ condition, definitions }) => needs(condition, definitions));
}

function needs(condition: Condition | undefined, definitions: Definitions): boolean {
  if (condition === undefined || condition.kind === "none") return false;
  if (condition.kind === "expr") return isNeeded(condition.expr.expr, definitions);
  const isPart = (part: Condition) => needs(part, definitions);
  return condition.kind === "all" ? condition.of.some(isPart) : condition.of.length > 0 && condition.of.every(isPart);
}

/** Is the expression false, or an error, while the list is empty? */
function isNeeded(expr: Expr, definitions: Definitions): boolean {
  const variable = definitionOf(expr, definitions);
  if (variable !== undefined) return isNeeded(variable.expr, definitions);
  const isPart = (part: Expr) => isNeeded(part, definitions);
  const isPermissions = (part: Expr) => isList(part, definitions);
  if (expr.kind === "macro") {
    return (expr.macro === "exists" || expr.macro === "exists_one") && isPermissions(expr.range);
  }
  if (expr.kind === "member") return isIntersection(expr.fn) && [expr.target, ...expr.args].some(isPermissions);
  if (expr.kind !== "call") return false;
  const { args } = expr;
  const operator = OPERATORS.get(expr.fn);
  if (operator?.kind === "junction") return operator.decisive ? args.every(isPart) : args.some(isPart);
  if (operator?.kind === "conditional") return args.slice(1).every(isPart);
  if (operator?.kind === "membership") return args.slice(1).some(isPermissions);
  return isIntersection(expr.fn) && args.some(isPermissions);
}

function isIntersection(fn: string): boolean {
  return LIST_RELATIONS.get(fn) === "intersects";
}

function isList(expr: Expr, definitions: Definitions): boolean {
  const variable = definitionOf(expr, definitions);
  if (variable !== undefined) return isList(variable.expr, definitions);
  const read = requestValueOf(expr);
  return read?.root.path === "P.attr" && read.path.join(".") === "permissions";
}
