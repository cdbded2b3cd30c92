/** `&&`, `||`, `!` and `?:`, by CEL's rules: an error or a non-boolean is absorbed by the side that decides. */

import { type Call, operandsOf } from "../ast.js";
import { type Evaluation, failAt, type Result } from "../evaluation.js";
import { OPERATORS } from "../operators.js";
import type { Code, Compile, Scope } from "./code.js";

const NOT_BOOL = "no such overload";

export function compileLogic(expr: Call, scope: Scope, compile: Compile): Code | undefined {
  const operator = OPERATORS.get(expr.fn);
  switch (operator?.kind) {
    case "junction": {
      const codes = operandsOf(expr).map((operand) => compile(operand, scope));
      return junction(codes, operator.decisive, expr.at);
    }
    case "not":
      return negation(expr, scope, compile);
    case "conditional":
      return conditional(expr, scope, compile);
    default:
      return undefined;
  }
}

/**
 * The first operand equal to `decisive` decides; otherwise an error or non-boolean makes the whole an error, and the
 * first of them says which.
 */
function junction(codes: readonly Code[], decisive: boolean, at: number): Code {
  const [a, b, c] = codes;
  if (a !== undefined && b !== undefined && codes.length === 2) {
    return (ev) => {
      const x = a(ev);
      if (x === decisive) return decisive;
      if (x !== !decisive) return unlessDecided(ev, x, codes, 1, decisive, at);
      const y = b(ev);
      return y === decisive || y === !decisive ? y : unlessDecided(ev, y, codes, 2, decisive, at);
    };
  }
  if (a !== undefined && b !== undefined && c !== undefined && codes.length === 3) {
    return (ev) => {
      const x = a(ev);
      if (x === decisive) return decisive;
      if (x !== !decisive) return unlessDecided(ev, x, codes, 1, decisive, at);
      const y = b(ev);
      if (y === decisive) return decisive;
      if (y !== !decisive) return unlessDecided(ev, y, codes, 2, decisive, at);
      const z = c(ev);
      return z === decisive || z === !decisive ? z : unlessDecided(ev, z, codes, 3, decisive, at);
    };
  }
  return (ev) => {
    for (let i = 0; i < codes.length; i++) {
      const value = codes[i]?.(ev);
      if (value === decisive) return decisive;
      if (value !== !decisive) return unlessDecided(ev, value, codes, i + 1, decisive, at);
    }
    return !decisive;
  };
}

/** What is left once an operand is `bad`, an error or no boolean: one of those after it decides, or that is the error. */
function unlessDecided(
  ev: Evaluation,
  bad: Result,
  codes: readonly Code[],
  from: number,
  decisive: boolean,
  at: number,
): Result {
  if (bad !== undefined) failAt(ev, NOT_BOOL, at);
  const { fault, faultAt } = ev;
  for (let i = from; i < codes.length; i++) if (codes[i]?.(ev) === decisive) return decisive;
  return failAt(ev, fault, faultAt);
}

function negation(expr: Call, scope: Scope, compile: Compile): Code | undefined {
  const [arg] = expr.args;
  if (arg === undefined) return undefined;
  const operand = compile(arg, scope);
  const { at } = expr;
  return (ev) => {
    const value = operand(ev);
    if (value === true) return false;
    if (value === false) return true;
    return value === undefined ? undefined : failAt(ev, NOT_BOOL, at);
  };
}

function conditional(expr: Call, scope: Scope, compile: Compile): Code | undefined {
  const [ifExpr, thenExpr, elseExpr] = expr.args;
  if (ifExpr === undefined || thenExpr === undefined || elseExpr === undefined) return undefined;
  const test = compile(ifExpr, scope);
  const yes = compile(thenExpr, scope);
  const no = compile(elseExpr, scope);
  const { at } = expr;
  return (ev) => {
    const value = test(ev);
    if (value === true) return yes(ev);
    if (value === false) return no(ev);
    return value === undefined ? undefined : failAt(ev, NOT_BOOL, at);
  };
}
