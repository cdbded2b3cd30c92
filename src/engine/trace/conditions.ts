/** `condition.match`, compiled node by node. */

import type { Position } from "../../policy/issue.js";
import type { Condition, Expression } from "../../policy/model.js";
import { type TracedPart, type TraceEnv, traceExpression } from "./expressions.js";

export type TracedCondition =
  | { readonly kind: "expr"; readonly id: number; readonly source: Expression; readonly part: TracedPart }
  | { readonly kind: "all" | "any" | "none"; readonly id: number; readonly of: readonly TracedCondition[] };

/** `owner`: where what the condition belongs to stands, for lists, which have no place of their own. */
export function traceCondition(condition: Condition, env: TraceEnv, owner: () => Position): TracedCondition {
  if (condition.kind === "expr") {
    const { expr: source } = condition;
    const id = env.add({ kind: "condition", text: source.source, condition: true, at: () => source.position(0) });
    return { kind: "expr", id, source, part: traceExpression(source, env) };
  }
  const first = () => firstPlace(condition) ?? owner();
  const id = env.add({ kind: "condition", text: condition.kind, condition: true, at: first });
  return { kind: condition.kind, id, of: condition.of.map((member) => traceCondition(member, env, owner)) };
}

function firstPlace(condition: Condition): Position | undefined {
  if (condition.kind === "expr") return condition.expr.position(0);
  const [first] = condition.of;
  return first === undefined ? undefined : firstPlace(first);
}
