/** Compares and evaluates the trees in PlanResources answers. */

import type { Expr } from "../../src/cel/ast.js";
import { type Code, compile, Slots } from "../../src/cel/compile.js";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import { namingOf, TYPE_NAMES } from "../../src/cel/roots.js";
import { parseTimestamp } from "../../src/cel/time.js";
import { type CelValue, TypeValue } from "../../src/cel/values.js";
import { isObject, type Json, type JsonObject, listAt, objectAt, textAt } from "../differential/json.js";

/**
 * A tree as text, for comparison. Treated as equal:
 * - The entries of a `struct`, and the parts that the server unrolls from a map, in any order: the server iterates over
 *   a Go map in random order. So the operands of `and` and `or` are flattened and sorted, and duplicates are dropped.
 * - The time of the request, which differs between the two sides.
 */
export function treeText(operand: Json, now: number): string {
  return canonical(operand, now).text;
}

interface Canonical {
  readonly text: string;
  /** Only for `and` and `or`. */
  readonly operator?: string;
  readonly parts?: readonly Canonical[];
}

function canonical(operand: Json, now: number): Canonical {
  if (!isObject(operand)) return { text: "?" };
  if (operand.variable !== undefined) return { text: String(operand.variable) };
  if (operand.value !== undefined) return { text: JSON.stringify(operand.value) };
  const { operator, operands } = operationOf(operand);
  const [first] = operands;
  const time = operator === "timestamp" && isObject(first) ? parseTimestamp(String(first.value)) : undefined;
  if (time !== undefined && Math.abs(time.seconds - now / 1000) < 3600) return { text: "(now)" };
  const made = operands.map((one) => canonical(one, now));
  const texts = made.map(({ text }) => text);
  if (operator !== "and" && operator !== "or") {
    return { text: `(${operator} ${(operator === "struct" ? texts.sort() : texts).join(" ")})` };
  }
  const all = made.flatMap((one) => (one.operator === operator ? (one.parts ?? []) : [one]));
  const parts = [...new Map(all.map((one) => [one.text, one])).values()];
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const sorted = parts.map(({ text }) => text).sort();
  return { operator, parts, text: `(${operator} ${sorted.join(" ")})` };
}

function operationOf(operand: JsonObject): { readonly operator: string; readonly operands: readonly Json[] } {
  const expression = objectAt(operand, "expression");
  return { operator: textAt(expression, "operator"), operands: listAt(expression, "operands") };
}

/** The compiled tree: true for the resources that satisfy it. */
export function treeCode(tree: Json, constants: ReadonlyMap<string, CelValue> = new Map()): Code {
  return compile(exprOf(tree, []), { functions: FUNCTIONS, variables: new Map(), constants, slots: new Slots() });
}

const OPERATORS: { readonly [word: string]: string } = {
  and: "_&&_",
  or: "_||_",
  not: "!_",
  eq: "_==_",
  ne: "_!=_",
  lt: "_<_",
  le: "_<=_",
  gt: "_>_",
  ge: "_>=_",
  in: "@in",
  add: "_+_",
  sub: "_-_",
  mult: "_*_",
  div: "_/_",
  mod: "_%_",
  index: "_[_]",
  if: "_?_:_",
};

const MACROS = [
  "all",
  "exists",
  "exists_one",
  "filter",
  "map",
  "transformList",
  "transformMap",
  "transformMapEntry",
] as const;

function exprOf(operand: Json | undefined, locals: readonly string[]): Expr {
  if (!isObject(operand)) throw new Error(`no operand: ${JSON.stringify(operand)}`);
  if (operand.variable !== undefined) return variable(String(operand.variable), locals);
  if (operand.value !== undefined) return value(operand.value);
  const { operator, operands } = operationOf(operand);
  const macro = MACROS.find((name) => name === operator);
  const [first, second] = operands;
  if (macro !== undefined && isObject(second) && operationOf(second).operator === "lambda") {
    const lambda = operationOf(second).operands;
    const names = lambda
      .filter((one) => isObject(one) && one.variable !== undefined)
      .map((one) => textAt(one as JsonObject, "variable"));
    return lambdaOf(macro, exprOf(first, locals), lambda, names, locals);
  }
  const args = () => operands.map((one) => exprOf(one, locals));
  if (operator === "list") return { kind: "list", at: 0, elements: args() };
  if (operator === "struct") {
    const entries = operands.map((entry) => {
      const [key, one] = operationOf(entry as JsonObject).operands;
      return { key: exprOf(key, locals), value: exprOf(one, locals) };
    });
    return { kind: "map", at: 0, entries };
  }
  if (operator === "get-field") {
    return { kind: "select", at: 0, operand: exprOf(first, locals), field: textAt(second as JsonObject, "variable") };
  }
  const fn = OPERATORS[operator] ?? operator;
  if (OPERATORS[operator] === undefined && FUNCTIONS.overloadsOf(fn, "global").length === 0) {
    const [target = value(null), ...rest] = args();
    return { kind: "member", at: 0, fn, overload: undefined, target, args: rest };
  }
  return { kind: "call", at: 0, fn, overload: undefined, args: args() };
}

/** A lambda's operands: its bodies first, then its one or two variable names. */
function lambdaOf(
  macro: (typeof MACROS)[number],
  range: Expr,
  lambda: readonly Json[],
  names: readonly string[],
  locals: readonly string[],
): Expr {
  // A body may itself be a name, so the macro tells how many bodies there are.
  const hasTwoBodies = (macro === "transformList" || macro.startsWith("transformMap")) && lambda.length > 3;
  const isPair = lambda.length - (hasTwoBodies ? 2 : 1) === 2;
  const bound = names.slice(isPair ? -2 : -1);
  const [v1 = "", v2] = bound;
  const inner = [...locals, ...bound];
  const [first, second] = lambda.slice(0, lambda.length - bound.length).map((one) => exprOf(one, inner));
  const transforms = macro === "map" || macro.startsWith("transform");
  const filter = hasTwoBodies || !transforms ? first : undefined;
  const transform = hasTwoBodies ? second : transforms ? first : macro === "filter" ? undefined : undefined;
  return { kind: "macro", at: 0, macro, range, v1, v2, filter, transform };
}

function variable(text: string, locals: readonly string[]): Expr {
  if (TYPE_NAMES.has(text)) return { kind: "literal", at: 0, value: new TypeValue(text) };
  const [root = "", ...fields] = text.split(".");
  const of = locals.includes(root) ? "local" : (namingOf(root) ?? "local");
  return fields.reduce<Expr>((operand, field) => ({ kind: "select", at: 0, operand, field }), {
    kind: "ident",
    at: 0,
    name: root,
    of,
  });
}

function value(json: Json): Expr {
  return { kind: "literal", at: 0, value: json };
}
