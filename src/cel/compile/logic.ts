/**
 * `&&`, `||`, `!` and `?:` by CEL's rules: if one operand decides, errors and non-booleans in the others are ignored.
 */

import { type Call, type Expr, operandsOf } from "../ast.js";
import { type Evaluation, type EvaluationResult, failAt } from "../evaluation.js";
import type { JunctionOperator } from "../operators.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

const NOT_BOOL = "no such overload";

export function compileJunction(expr: Call, { decisive }: JunctionOperator, scope: CompileScope): Code {
  const codes = operandsOf(expr).map((operand) => codeOf(operand, scope));
  return junction(codes, decisive, expr.at);
}

/**
 * The first operand equal to `decisive` decides. Otherwise the first operand that errs or is not a boolean is the error
 * of the whole.
 */
function junction(codes: readonly Code[], decisive: boolean, at: number): Code {
  const [a, b, c] = codes;
  if (a !== undefined && b !== undefined && codes.length === 2) {
    return (ev) => {
      const x = a(ev);
      if (x === decisive) return decisive;
      if (x !== !decisive) return evaluateRest(ev, x, codes, 1, decisive, at);
      const y = b(ev);
      return y === decisive || y === !decisive ? y : evaluateRest(ev, y, codes, 2, decisive, at);
    };
  }
  if (a !== undefined && b !== undefined && c !== undefined && codes.length === 3) {
    return (ev) => {
      const x = a(ev);
      if (x === decisive) return decisive;
      if (x !== !decisive) return evaluateRest(ev, x, codes, 1, decisive, at);
      const y = b(ev);
      if (y === decisive) return decisive;
      if (y !== !decisive) return evaluateRest(ev, y, codes, 2, decisive, at);
      const z = c(ev);
      return z === decisive || z === !decisive ? z : evaluateRest(ev, z, codes, 3, decisive, at);
    };
  }
  return (ev) => {
    for (let i = 0; i < codes.length; i++) {
      const value = codes[i]?.(ev);
      if (value === decisive) return decisive;
      if (value !== !decisive) return evaluateRest(ev, value, codes, i + 1, decisive, at);
    }
    return !decisive;
  };
}

/**
 * Evaluates the rest after an operand (`bad`) that errs or is not a boolean: a later operand equal to `decisive`
 * decides, otherwise `bad` is the error.
 */
function evaluateRest(
  ev: Evaluation,
  bad: EvaluationResult,
  codes: readonly Code[],
  from: number,
  decisive: boolean,
  at: number,
): EvaluationResult {
  if (bad !== undefined) failAt(ev, NOT_BOOL, at);
  const { fault, faultAt } = ev;
  for (let i = from; i < codes.length; i++) if (codes[i]?.(ev) === decisive) return decisive;
  return failAt(ev, fault, faultAt);
}

export function compileNot(operand: Expr, { at }: Call, scope: CompileScope): Code {
  const code = codeOf(operand, scope);
  return (ev) => {
    const value = code(ev);
    if (value === true) return false;
    if (value === false) return true;
    return value === undefined ? undefined : failAt(ev, NOT_BOOL, at);
  };
}

export function compileConditional(
  ifExpr: Expr,
  thenExpr: Expr,
  elseExpr: Expr,
  { at }: Call,
  scope: CompileScope,
): Code {
  const test = codeOf(ifExpr, scope);
  const yes = codeOf(thenExpr, scope);
  const no = codeOf(elseExpr, scope);
  return (ev) => {
    const value = test(ev);
    if (value === true) return yes(ev);
    if (value === false) return no(ev);
    return value === undefined ? undefined : failAt(ev, NOT_BOOL, at);
  };
}
