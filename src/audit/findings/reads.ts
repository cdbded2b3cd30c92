/** What rules read, wherever they come to it: in conditions, outputs, derived roles, and variables of all of these. */

import { type RequestValueRead, usageOf } from "../../cel/expression-usage.js";
import type { AnyPolicy, AnyRule, Definitions, DerivedRole, Expression } from "../../policy/model.js";
import { derivedRolesOf, expressionsOfCondition, expressionsOfRule } from "../../policy/walk.js";
import type { Subject } from "./subjects.js";

/** One read of an attribute, and the expression that it stands in. */
export interface AttributeRead {
  readonly read: RequestValueRead;
  readonly expression: Expression;
}

/** What a rule evaluates of one namespace. */
export interface Part {
  readonly expressions: readonly Expression[];
  readonly definitions: Definitions;
}

/** The rule itself, and each derived role that it lists. */
export function partsOf(policy: AnyPolicy, rule: AnyRule): readonly Part[] {
  const own = { expressions: expressionsOfRule(rule), definitions: policy.definitions };
  return [own, ...derivedRolesOf(policy, rule).map(partOf)];
}

/** The parts of a rule that decide: {@link partsOf} without outputs. */
export function decidingPartsOf(policy: AnyPolicy, rule: AnyRule): readonly Part[] {
  const own = partOf({ condition: rule.condition, definitions: policy.definitions });
  return [own, ...derivedRolesOf(policy, rule).map(partOf)];
}

export function partOf({ condition, definitions }: Pick<DerivedRole, "condition" | "definitions">): Part {
  return { expressions: expressionsOfCondition(condition), definitions };
}

/** Expressions, and the definitions of the variables that they read, however far. */
export function reachable({ expressions, definitions: { variables } }: Part): readonly Expression[] {
  const found = [...expressions];
  const read = new Set<string>();
  for (const { expr } of found) {
    for (const name of usageOf(expr).variables) {
      if (read.has(name)) continue;
      read.add(name);
      const variable = variables.find((each) => each.name === name);
      if (variable !== undefined) found.push(variable.expr);
    }
  }
  return found;
}

export function readsOf(part: Part): readonly AttributeRead[] {
  return reachable(part).flatMap((expression) => usageOf(expression.expr).reads.map((read) => ({ read, expression })));
}

/** Whose attributes are read; undefined for anything else. */
export function subjectOf({ root }: RequestValueRead): Subject | undefined {
  if (root === "P.attr") return "principal";
  return root === "R.attr" ? "resource" : undefined;
}

export function readText({ root, path }: RequestValueRead): string {
  return [root, ...path].join(".");
}
