/** Evaluates the parts of conditions one by one, and says what became of each. */

import { type Evaluation, STEP_BUDGET } from "../../cel/evaluation.js";
import { ATTRIBUTES } from "../../cel/roots.js";
import { showValue } from "../../cel/show.js";
import type { CelValue, JsonMap } from "../../cel/values.js";
import type { TracedCondition } from "./conditions.js";
import type { TracedPart } from "./expressions.js";
import type { TracedVariable } from "./policies.js";
import type { ConditionState, ConditionTrace, ExpressionTrace } from "./types.js";

const NONE: readonly never[] = Object.freeze([]);
const NOT_BOOL = "no such overload: not a boolean";

/** An expression's value, undefined for an error, with the trace of how it came about. */
interface Traced {
  readonly value: CelValue | undefined;
  readonly trace: ExpressionTrace;
}

/** One policy's evaluation under way. */
export class Tracer {
  private readonly ev: Evaluation;
  private readonly variables: readonly TracedVariable[];
  private readonly values: boolean;
  private readonly seen: (ExpressionTrace | undefined)[] = [];
  /** What looking at the values of parts may still cost. */
  private pool = STEP_BUDGET;

  /** `values`: whether the parts of operations are looked at, which costs an evaluation each. */
  constructor(ev: Evaluation, variables: readonly TracedVariable[], values: boolean) {
    this.ev = ev;
    this.variables = variables;
    this.values = values;
  }

  /** What became of a variable; undefined if nothing read it. */
  variable(index: number): ExpressionTrace | undefined {
    return this.seen[index];
  }

  condition(condition: TracedCondition): ConditionTrace {
    if (condition.kind === "expr") {
      const { id, source } = condition;
      const { value, trace } = this.expression(condition.part);
      const at = source.position(0);
      if (typeof value === "boolean")
        return { kind: "expr", id, state: value ? "true" : "false", at, expression: trace };
      const error = value === undefined ? trace.error : "the condition's value is not a boolean";
      return { kind: "expr", id, state: "error", at, expression: { ...trace, error: error ?? "" } };
    }
    const { kind, id } = condition;
    const of: ConditionTrace[] = [];
    const stop = kind === "all" ? "false" : "true";
    let state: ConditionState = kind === "any" ? "false" : "true";
    let done = false;
    for (const member of condition.of) {
      const trace: ConditionTrace = done ? this.skippedCondition(member) : this.condition(member);
      of.push(trace);
      if (done) continue;
      done = trace.state === stop || trace.state === "error";
      if (trace.state === "error") state = "error";
      else if (done) state = kind === "any" ? "true" : "false";
    }
    return { kind, id, state, of };
  }

  /** The trace of a condition that was not reached. */
  skippedCondition(condition: TracedCondition): ConditionTrace {
    const { id } = condition;
    if (condition.kind === "expr") {
      const expression = skipped(condition.part);
      return { kind: "expr", id, state: "not_evaluated", at: condition.source.position(0), expression };
    }
    return { kind: condition.kind, id, state: "not_evaluated", of: condition.of.map((m) => this.skippedCondition(m)) };
  }

  expression(part: TracedPart): Traced {
    switch (part.kind) {
      case "and":
        return this.junction(part, false);
      case "or":
        return this.junction(part, true);
      case "not":
        return this.negation(part);
      case "if":
        return this.choice(part);
      case "leaf":
        return this.leaf(part);
    }
  }

  private junction(part: TracedPart, decisive: boolean): Traced {
    const traces: ExpressionTrace[] = [];
    let decided = false;
    let error: string | undefined;
    for (const operand of part.parts) {
      if (decided) {
        traces.push(skipped(operand));
        continue;
      }
      const { value, trace } = this.expression(operand);
      traces.push(trace);
      if (value === decisive) decided = true;
      else if (value !== !decisive) error ??= value === undefined ? trace.error : NOT_BOOL;
    }
    if (decided) return made(part, decisive, traces);
    return error === undefined ? made(part, !decisive, traces) : failed(part, error, traces);
  }

  private negation(part: TracedPart): Traced {
    const [operand] = part.parts;
    if (operand === undefined) return failed(part, NOT_BOOL, []);
    const { value, trace } = this.expression(operand);
    if (typeof value === "boolean") return made(part, !value, [trace]);
    return failed(part, value === undefined ? trace.error : NOT_BOOL, [trace]);
  }

  private choice(part: TracedPart): Traced {
    const [test, yes, no] = part.parts;
    if (test === undefined || yes === undefined || no === undefined) return failed(part, NOT_BOOL, []);
    const tested = this.expression(test);
    if (typeof tested.value !== "boolean") {
      const error = tested.value === undefined ? tested.trace.error : NOT_BOOL;
      return failed(part, error, [tested.trace, skipped(yes), skipped(no)]);
    }
    const chosen = this.expression(tested.value ? yes : no);
    const traces = tested.value ? [chosen.trace, skipped(no)] : [skipped(yes), chosen.trace];
    return chosen.value === undefined
      ? failed(part, chosen.trace.error, [tested.trace, ...traces])
      : made(part, chosen.value, [tested.trace, ...traces]);
  }

  private leaf(part: TracedPart): Traced {
    const { ev } = this;
    const value = part.code(ev);
    const error = value === undefined ? ev.fault : undefined;
    const parts = this.values ? part.parts.map((inner) => this.lookAt(inner)) : NONE;
    if (!this.values || part.variable !== undefined) for (const index of part.reads) this.follow(index);
    if (value !== undefined) return made(part, value, parts, this.values);
    const missing = part.path === undefined ? undefined : missingIn(ev, part.path);
    const traced = failed(part, error, parts);
    return missing === undefined ? traced : { value, trace: { ...traced.trace, missing } };
  }

  /** A part of an operation, which the evaluation that decides has paid for already. */
  private lookAt(part: TracedPart): ExpressionTrace {
    const { ev } = this;
    const { steps } = ev;
    if (this.pool <= 0) return skipped(part);
    ev.steps = this.pool;
    const { trace } = this.expression(part);
    this.pool = ev.steps;
    ev.steps = steps;
    return trace;
  }

  private follow(index: number): void {
    const variable = this.variables[index];
    if (variable === undefined || this.seen[index] !== undefined) return;
    // The variable was evaluated by its reader: this pays for the account alone.
    this.seen[index] = skipped(variable.part);
    this.seen[index] = this.lookAt(variable.part);
  }
}

/** The trace of a part that was not evaluated. */
export function skipped(part: TracedPart): ExpressionTrace {
  return { ...head(part), state: "not_evaluated", parts: part.parts.map(skipped) };
}

type Head = Pick<ExpressionTrace, "id" | "text" | "start" | "end" | "logic" | "variable">;

function head({ id, text, start, end, kind, variable }: TracedPart): Head {
  const own = { id, text, start, end };
  if (kind !== "leaf") return { ...own, logic: kind };
  return variable === undefined ? own : { ...own, variable };
}

function made(part: TracedPart, value: CelValue, parts: readonly ExpressionTrace[], show = true): Traced {
  const state = typeof value === "boolean" ? (value ? "true" : "false") : "value";
  const shown = show ? { value: showValue(value) } : {};
  return { value, trace: { ...head(part), state, ...shown, parts } };
}

function failed(part: TracedPart, error: string | undefined, parts: readonly ExpressionTrace[]): Traced {
  return { value: undefined, trace: { ...head(part), state: "error", error: error ?? NOT_BOOL, parts } };
}

const MAPS: ReadonlyMap<string, number> = new Map([
  ["P.attr", ATTRIBUTES.principal],
  ["request.principal.attr", ATTRIBUTES.principal],
  ["R.attr", ATTRIBUTES.resource],
  ["request.resource.attr", ATTRIBUTES.resource],
]);

/** The attribute that a path needs and the request lacks; undefined if every part of it is there. */
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
