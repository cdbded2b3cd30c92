/** Calls of single overloads, and a naive evaluator of parsed expressions that uses only the function registry. */

import type { Syntax } from "../../../src/cel/ast.js";
import { lookup, setEntry } from "../../../src/cel/equality.js";
import { Evaluation, type EvaluationResult, fail } from "../../../src/cel/evaluation.js";
import { type CallStyle, NO_OVERLOAD, type Overload } from "../../../src/cel/functions/overload.js";
import { overloadsOf } from "../../../src/cel/functions/registry.js";
import { parseExpression } from "../../../src/cel/parse.js";
import { parseTimestamp } from "../../../src/cel/time.js";
import { type CelList, type CelValue, Entries, isList, isMap, TypeValue } from "../../../src/cel/values.js";

export function newEvaluation(): Evaluation {
  const ev = new Evaluation();
  ev.now = parseTimestamp("2024-06-01T12:00:00Z");
  return ev;
}

/** Calls one overload with its number of arguments. */
export function runOverload(
  { run }: Overload,
  ev: Evaluation,
  [a = null, b = null, c = null, d = null]: readonly CelValue[],
): EvaluationResult | typeof NO_OVERLOAD {
  switch (run.arity) {
    case 0:
      return run.call(ev);
    case 1:
      return run.call(ev, a);
    case 2:
      return run.call(ev, a, b);
    case 3:
      return run.call(ev, a, b, c);
    case 4:
      return run.call(ev, a, b, c, d);
  }
}

/** `name(args)` or `args[0].name(…)` with the budget of `ev`. */
export function callIn(ev: Evaluation, name: string, style: CallStyle, ...args: readonly CelValue[]): EvaluationResult {
  for (const overload of overloadsOf(name, style)) {
    if (overload.params.length !== args.length) continue;
    const result = runOverload(overload, ev, args);
    if (result !== NO_OVERLOAD) return result;
  }
  return fail(ev, "no such overload");
}

/** {@link callIn} with a fresh budget. */
export function call(name: string, style: CallStyle, ...args: readonly CelValue[]): EvaluationResult {
  return callIn(newEvaluation(), name, style, ...args);
}

const TYPE_NAMES = new Set(["int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type"]);
const NAMESPACES = new Set(["math", "strings", "base64", "lists", "sets", "optional", "json", "yaml"]);

type Scope = ReadonlyMap<string, CelValue>;

/** The value of an expression; `undefined` for an error. `R` and the type names are its only variables. */
export function evaluate(ev: Evaluation, source: string, resource: CelValue): EvaluationResult {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(`${source}: ${parsed.message}`);
  return walk(ev, parsed.syntax, new Map([["R", resource]]));
}

function walk(ev: Evaluation, expr: Syntax, scope: Scope): EvaluationResult {
  switch (expr.kind) {
    case "literal":
      return expr.value;
    case "ident":
      return scope.get(expr.name) ?? (TYPE_NAMES.has(expr.name) ? new TypeValue(expr.name) : undefined);
    case "select":
      return select(ev, expr, scope);
    case "list":
      return walkAll(ev, expr.elements, scope);
    case "map": {
      const map = new Entries();
      for (const entry of expr.entries) {
        const key = walk(ev, entry.key, scope);
        const value = walk(ev, entry.value, scope);
        if (key === undefined || value === undefined) return undefined;
        setEntry(map, key, value);
      }
      return map;
    }
    case "call":
      return walkCall(ev, expr.fn, "global", expr.args, scope);
    case "member": {
      const { target } = expr;
      if (target.kind === "ident" && NAMESPACES.has(target.name))
        return namespaced(ev, target.name, expr.fn, expr.args, scope);
      return walkCall(ev, expr.fn, "member", [target, ...expr.args], scope);
    }
    case "macro":
      return mapMacro(ev, expr, scope);
    case "bind": {
      const init = walk(ev, expr.init, scope);
      return init === undefined ? undefined : walk(ev, expr.body, new Map([...scope, [expr.name, init]]));
    }
    default:
      throw new Error(`not evaluated here: ${expr.kind}`);
  }
}

function select(ev: Evaluation, expr: Extract<Syntax, { kind: "select" }>, scope: Scope): EvaluationResult {
  const path = pathOf(expr);
  if (path?.startsWith("google.protobuf.")) return new TypeValue(path);
  const operand = walk(ev, expr.operand, scope);
  if (operand === undefined || !isMap(operand)) return undefined;
  return lookup(operand, expr.field);
}

function pathOf(expr: Syntax): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select") return undefined;
  const path = pathOf(expr.operand);
  return path === undefined ? undefined : `${path}.${expr.field}`;
}

function walkAll(ev: Evaluation, exprs: readonly Syntax[], scope: Scope): CelList | undefined {
  const values: CelValue[] = [];
  for (const expr of exprs) {
    const value = walk(ev, expr, scope);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function walkCall(
  ev: Evaluation,
  fn: string,
  style: CallStyle,
  args: readonly Syntax[],
  scope: Scope,
): EvaluationResult {
  if (fn === "_?_:_") {
    const [test, yes, no] = args.map((arg) => () => walk(ev, arg, scope));
    const verdict = test?.();
    if (typeof verdict !== "boolean") return undefined;
    return verdict ? yes?.() : no?.();
  }
  const values = walkAll(ev, args, scope);
  return values === undefined ? undefined : callIn(ev, fn, style, ...values);
}

function namespaced(
  ev: Evaluation,
  namespace: string,
  fn: string,
  args: readonly Syntax[],
  scope: Scope,
): EvaluationResult {
  const values = walkAll(ev, args, scope);
  if (values === undefined) return undefined;
  return callIn(ev, `${namespace}.${fn}`, "global", ...values);
}

function mapMacro(ev: Evaluation, expr: Extract<Syntax, { kind: "macro" }>, scope: Scope): EvaluationResult {
  const elements = walk(ev, expr.range, scope);
  if (expr.macro !== "map" || expr.transform === undefined) throw new Error(`not evaluated here: ${expr.macro}`);
  return elements === undefined || !isList(elements)
    ? undefined
    : mapEach(ev, elements, expr.v1, expr.transform, scope);
}

function mapEach(ev: Evaluation, elements: CelList, name: string, body: Syntax, scope: Scope): CelList | undefined {
  const values: CelValue[] = [];
  for (const element of elements) {
    const value = walk(ev, body, new Map([...scope, [name, element]]));
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
