/** What rules read, wherever they come to it: in conditions, outputs, derived roles, and variables of all of these. */

import { type Call, children, type Expr } from "../../cel/ast.js";
import { type RequestValueRead, usageOf } from "../../cel/expression-usage.js";
import type { Position } from "../../policy/issue.js";
import type { AnyPolicy, AnyRule, Definitions, DerivedRole, Expression } from "../../policy/model.js";
import { derivedRolesOf, expressionsOfCondition, expressionsOfRule, reachable } from "../../policy/walk.js";
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

export function readsOf(part: Part): readonly AttributeRead[] {
  return reachable(part).flatMap((expression) => usageOf(expression.expr).reads.map((read) => ({ read, expression })));
}

/** A text that an operation is given as it is. */
export interface TextOperand {
  readonly text: string;
  readonly at: Position;
}

/** The texts that operations of an expression are given, by themselves and in lists. */
export function textOperands(expression: Expression, isOne: (call: Call) => boolean): readonly TextOperand[] {
  const found: TextOperand[] = [];
  const pending: Expr[] = [expression.expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    pending.push(...children(node));
    if (node.kind !== "call" || !isOne(node)) continue;
    for (const part of node.args.flatMap((arg) => (arg.kind === "list" ? arg.elements : [arg]))) {
      if (part.kind !== "literal" || typeof part.value !== "string") continue;
      found.push({ text: part.value, at: expression.position(part.at) });
    }
  }
  return found;
}

/** Whose attributes are read; undefined for anything else. */
export function subjectOf({ root }: RequestValueRead): Subject | undefined {
  if (root === "P.attr") return "principal";
  return root === "R.attr" ? "resource" : undefined;
}

export function readText({ root, path }: RequestValueRead): string {
  return [root, ...path].join(".");
}
