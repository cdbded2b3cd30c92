/** Concatenation that starts with a constant string, as conditions build permission tuples. */

import type { Call, Expr } from "../ast.js";
import { type Evaluation, type EvaluationResult, failAt, spend } from "../evaluation.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

/**
 * The parts of `"prefix" + middle` or `"prefix" + middle + "suffix"` (without one the suffix is empty), such as a tuple
 * for one id. Undefined for any other expression.
 */
export function concatenation(
  expr: Expr,
): { readonly prefix: string; readonly middle: Expr; readonly suffix: string } | undefined {
  const [first, middle, last, ...more] = sumOperands(expr);
  if (first?.kind !== "literal" || typeof first.value !== "string" || middle === undefined || more.length > 0) {
    return undefined;
  }
  if (last === undefined) return { prefix: first.value, middle, suffix: "" };
  if (last.kind !== "literal" || typeof last.value !== "string") return undefined;
  return { prefix: first.value, middle, suffix: last.value };
}

/**
 * Code for `"a" + x + "b" + …`; undefined for any other sum. Since the first operand is a string, all must be strings.
 */
export function compileConcat(expr: Call, scope: CompileScope): Code | undefined {
  const [first, ...rest] = sumOperands(expr);
  if (rest.length === 0 || first?.kind !== "literal" || typeof first.value !== "string") return undefined;
  const prefix = first.value;
  const codes = rest.map((term) => codeOf(term, scope));
  const { at } = expr;
  const [only] = codes;
  if (prefix === "" && only !== undefined && codes.length === 1) return text(only, at);
  return (ev) => joined(ev, prefix, codes, at);
}

/** `"" + x`: x, which must be a string. */
function text(code: Code, at: number): Code {
  return (ev) => {
    const value = code(ev);
    if (typeof value === "string" || value === undefined) return value;
    return failAt(ev, NONE, at);
  };
}

const NONE = "no such overload";
/**
 * Text up to `FREE` characters is joined without spending steps; longer text costs a step for each 2 ** COST
 * characters.
 */
const FREE = 256;
const COST = 8;

function joined(ev: Evaluation, prefix: string, codes: readonly Code[], at: number): EvaluationResult {
  let text = prefix;
  for (const code of codes) {
    const value = code(ev);
    if (value === undefined) return undefined;
    if (typeof value !== "string") return failAt(ev, NONE, at);
    text += value;
    if (text.length > FREE && !spend(ev, text.length >> COST)) return undefined;
  }
  return text;
}

/** The operands of a chain of `+`, which the parser nests to the left. */
export function sumOperands(expr: Expr): readonly Expr[] {
  if (expr.kind !== "call" || expr.fn !== "_+_") return [expr];
  const [left, right] = expr.args;
  return left === undefined || right === undefined ? [expr] : [...sumOperands(left), right];
}
