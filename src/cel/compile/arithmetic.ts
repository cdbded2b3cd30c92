/** Arithmetic, with doubles (which is what attributes are) first. */

import type { Call } from "../ast.js";
import type { Evaluation, Result } from "../evaluation.js";
import { ARITHMETIC } from "../functions/operators.js";
import { OPERATORS } from "../operators.js";
import type { CelValue } from "../values.js";
import type { Code, Compile, Scope } from "./code.js";

type General = (ev: Evaluation, x: CelValue, y: CelValue) => Result;

export function compileArithmetic(expr: Call, scope: Scope, compile: Compile): Code | undefined {
  const [left, right] = expr.args;
  const operator = OPERATORS.get(expr.fn);
  if (operator?.kind !== "arithmetic" || left === undefined || right === undefined) return undefined;
  const { symbol, doubles } = operator;
  if (doubles === undefined) return undefined;
  return code(compile(left, scope), compile(right, scope), doubles, ARITHMETIC[symbol], expr.at);
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
