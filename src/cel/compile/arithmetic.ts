/** Arithmetic, with doubles (which is what attributes are) first. */

import type { Call } from "../ast.js";
import type { Evaluation, Result } from "../evaluation.js";
import { add, divide, multiply, subtract } from "../functions/operators.js";
import type { CelValue } from "../values.js";
import type { Code, Compile, Scope } from "./code.js";

type General = (ev: Evaluation, x: CelValue, y: CelValue) => Result;

export function compileArithmetic(expr: Call, scope: Scope, compile: Compile): Code | undefined {
  const [left, right] = expr.args;
  if (left === undefined || right === undefined) return undefined;
  switch (expr.fn) {
    case "_+_":
      return code(compile(left, scope), compile(right, scope), (x, y) => x + y, add, expr.at);
    case "_-_":
      return code(compile(left, scope), compile(right, scope), (x, y) => x - y, subtract, expr.at);
    case "_*_":
      return code(compile(left, scope), compile(right, scope), (x, y) => x * y, multiply, expr.at);
    case "_/_":
      return code(compile(left, scope), compile(right, scope), (x, y) => x / y, divide, expr.at);
    default:
      return undefined;
  }
}

function code(a: Code, b: Code, doubles: (x: number, y: number) => number, general: General, at: number): Code {
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    if (typeof x === "number" && typeof y === "number") return doubles(x, y);
    const result = general(ev, x, y);
    if (result === undefined) ev.faultAt = at;
    return result;
  };
}
