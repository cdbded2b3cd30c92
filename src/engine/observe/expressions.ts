/** Traces conditions and expressions, with the values of their parts. */

import type { Evaluation } from "../../cel/evaluation.js";
import { ATTRIBUTES } from "../../cel/roots.js";
import { showValue } from "../../cel/show.js";
import type { JsonMap } from "../../cel/values.js";
import type { Condition, Definitions, Expression } from "../../policy/model.js";
import { type ExpressionPart, partsOf } from "./parts.js";
import { type RecordedValue, Recorder } from "./recorder.js";
import type { ConditionState, ConditionTrace, ExpressionTrace } from "./types.js";

/** The index of a variable in the trace of its policy. */
export type VariableIndex = (definitions: Definitions, name: string) => number | undefined;

export class ExpressionTracer {
  private readonly recorder: Recorder;
  private nothing: ExpressionTracer | undefined = undefined;
  private readonly known = new Map<Expression, ExpressionPart>();

  constructor(recorder: Recorder) {
    this.recorder = recorder;
  }

  /**
   * Traces parts that were not reached. The recorder may have values of them: a policy of another scope may use the
   * same derived role.
   */
  get unreached(): ExpressionTracer {
    this.nothing ??= new ExpressionTracer(new Recorder());
    return this.nothing;
  }

  condition(condition: Condition, definitions: Definitions, ev: Evaluation, index: VariableIndex): ConditionTrace {
    const { kind } = condition;
    if (kind !== "expr") {
      const state = stateOf(this.recorder.condition(condition));
      return { kind, state, of: condition.of.map((member) => this.condition(member, definitions, ev, index)) };
    }
    const expression = this.expression(condition.expr, definitions, ev, index);
    const at = condition.expr.position(0);
    if (expression.state !== "value") return { kind, state: expression.state, at, expression };
    const error = "the condition's value is not a boolean";
    return { kind, state: "error", at, expression: { ...expression, error } };
  }

  expression(expression: Expression, definitions: Definitions, ev: Evaluation, index: VariableIndex): ExpressionTrace {
    const part = this.known.get(expression) ?? partsOf(expression);
    this.known.set(expression, part);
    return this.part(expression, part, ev, (name) => index(definitions, name));
  }

  /** Whether an expression was evaluated. */
  isSeen(expression: Expression): boolean {
    return this.recorder.part(expression, expression.expr) !== undefined;
  }

  private part(
    whole: Expression,
    part: ExpressionPart,
    ev: Evaluation,
    index: (name: string) => number | undefined,
  ): ExpressionTrace {
    const { expr, logic, text, start, end, variable: name } = part;
    const parts = part.parts.map((inner) => this.part(whole, inner, ev, index));
    const variable = name === undefined ? undefined : index(name);
    const seen = this.recorder.part(whole, expr);
    return {
      text,
      start,
      end,
      ...(logic === undefined ? {} : { logic }),
      ...(variable === undefined ? {} : { variable }),
      ...whatBecame(seen, part, ev),
      parts,
    };
  }
}

function stateOf(holds: boolean | "error" | undefined): ConditionState {
  if (holds === undefined) return "not_evaluated";
  return holds === "error" ? "error" : holds ? "true" : "false";
}

function whatBecame(
  seen: RecordedValue | undefined,
  { path }: ExpressionPart,
  ev: Evaluation,
): Pick<ExpressionTrace, "state" | "value" | "error" | "missing"> {
  if (seen === undefined) return { state: "not_evaluated" };
  const { value } = seen;
  if (value !== undefined) {
    const state = typeof value === "boolean" ? (value ? "true" : "false") : "value";
    return { state, value: showValue(value) };
  }
  const missing = path === undefined ? undefined : missingIn(ev, path);
  return { state: "error", error: seen.fault, ...(missing === undefined ? {} : { missing }) };
}

const MAPS: ReadonlyMap<string, number> = new Map([
  ["P.attr", ATTRIBUTES.principal],
  ["request.principal.attr", ATTRIBUTES.principal],
  ["R.attr", ATTRIBUTES.resource],
  ["request.resource.attr", ATTRIBUTES.resource],
]);

/** The first attribute on a path that the request lacks; undefined if it has them all. */
function missingIn(ev: Evaluation, path: readonly string[]): string | undefined {
  const depth = path[0] === "request" ? 3 : 2;
  const index = MAPS.get(path.slice(0, depth).join("."));
  let value: unknown = index === undefined ? undefined : ev.attributes[index];
  for (let i = depth; i < path.length; i++) {
    const field = path[i] ?? "";
    if (!isMap(value)) return undefined;
    if (!Object.hasOwn(value, field)) return path.slice(0, i + 1).join(".");
    value = value[field];
  }
  return undefined;
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
