/** The values that rules read, directly or indirectly: in conditions, outputs, derived roles and their variables. */

import { type Call, children, type Expr, type MemberCall } from "../../cel/ast.js";
import { type RequestValueRead, usageOf } from "../../cel/expression-usage.js";
import type { SourcePosition } from "../../policy/issue.js";
import type { AnyPolicy, AnyRule, Definitions, DerivedRole, Expression } from "../../policy/model.js";
import {
  derivedRolesOf,
  expressionsOfCondition,
  expressionsOfRule,
  reachable,
} from "../../policy/policy-expressions.js";
import type { SchemaSubject } from "./subjects.js";

/** One read of an attribute, and the expression that it stands in. */
export interface AttributeRead {
  readonly read: RequestValueRead;
  readonly expression: Expression;
}

/** The expressions of a rule in one namespace (with the definitions of one policy or set of derived roles). */
export interface RulePart {
  readonly expressions: readonly Expression[];
  readonly definitions: Definitions;
}

/** The rule itself, and each derived role that it lists. */
export function partsOf(policy: AnyPolicy, rule: AnyRule): readonly RulePart[] {
  const own = { expressions: expressionsOfRule(rule), definitions: policy.definitions };
  return [own, ...derivedRolesOf(policy, rule).map(partOf)];
}

/** The parts of a rule that decide: {@link partsOf} without outputs. */
export function decidingPartsOf(policy: AnyPolicy, rule: AnyRule): readonly RulePart[] {
  const own = partOf({ condition: rule.condition, definitions: policy.definitions });
  return [own, ...derivedRolesOf(policy, rule).map(partOf)];
}

export function partOf({ condition, definitions }: Pick<DerivedRole, "condition" | "definitions">): RulePart {
  return { expressions: expressionsOfCondition(condition), definitions };
}

export function readsOf(part: RulePart): readonly AttributeRead[] {
  return reachable(part).flatMap((expression) => usageOf(expression.expr).reads.map((read) => ({ read, expression })));
}

/** A literal string operand. */
export interface TextOperand {
  readonly text: string;
  readonly at: SourcePosition;
}

/** The literal strings among the operands of an expression, alone and in lists. */
export function textOperands(
  expression: Expression,
  isOne: (call: Call | MemberCall) => boolean,
): readonly TextOperand[] {
  const found: TextOperand[] = [];
  const pending: Expr[] = [expression.expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    pending.push(...children(node));
    if ((node.kind !== "call" && node.kind !== "member") || !isOne(node)) continue;
    for (const part of children(node).flatMap((arg) => (arg.kind === "list" ? arg.elements : [arg]))) {
      if (part.kind !== "literal" || typeof part.value !== "string") continue;
      found.push({ text: part.value, at: expression.position(part.at) });
    }
  }
  return found;
}

/** The subject of a read attribute; undefined for all other reads. */
export function subjectOf({ root }: RequestValueRead): SchemaSubject | undefined {
  if (root === "P.attr") return "principal";
  return root === "R.attr" ? "resource" : undefined;
}

export function readText({ root, path }: RequestValueRead): string {
  return [root, ...path].join(".");
}
