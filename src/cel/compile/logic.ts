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

/** The first operand equal to `decisive` decides; otherwise an error or non-boolean makes the whole an error. */
function junction(codes: readonly Code[], decisive: boolean, at: number): Code {
  const [a, b, c] = codes;
  if (a !== undefined && b !== undefined && codes.length === 2) {
    return (ev) => {
      const x = a(ev);
      if (x === decisive) return decisive;
      const y = b(ev);
      if (y === decisive) return decisive;
      return x === !decisive && y === !decisive ? !decisive : undecided(ev, x, y, at);
    };
  }
  if (a !== undefined && b !== undefined && c !== undefined && codes.length === 3) {
    return (ev) => {
      const x = a(ev);
      if (x === decisive) return decisive;
      const y = b(ev);
      if (y === decisive) return decisive;
      const z = c(ev);
      if (z === decisive) return decisive;
      if (x === !decisive && y === !decisive && z === !decisive) return !decisive;
      return undecided(ev, x === !decisive ? y : x, z, at);
    };
  }
  return (ev) => {
    let bad = false;
    let other: Result = !decisive;
    for (let i = 0; i < codes.length; i++) {
      const value = codes[i]?.(ev);
      if (value === decisive) return decisive;
      if (value !== !decisive && !bad) {
        bad = true;
        other = value;
      }
    }
    return bad ? undecided(ev, other, other, at) : !decisive;
  };
}

/** The failure of a junction: that of its operands, or that one is not a boolean. */
function undecided(ev: Evaluation, x: Result, y: Result, at: number): undefined {
  if (x === undefined || y === undefined) return undefined;
  return failAt(ev, NOT_BOOL, at);
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
