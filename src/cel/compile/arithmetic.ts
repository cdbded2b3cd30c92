/** Arithmetic. Doubles come first, because numbers in attributes are doubles. */

import type { Call, Expr } from "../ast.js";
import type { Evaluation, EvaluationResult } from "../evaluation.js";
import { ARITHMETIC } from "../functions/operators.js";
import type { ArithmeticOperator } from "../operators.js";
import type { CelValue } from "../values.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

type General = (ev: Evaluation, x: CelValue, y: CelValue) => EvaluationResult;

export function compileArithmetic(
  left: Expr,
  right: Expr,
  { symbol, doubles }: ArithmeticOperator,
  { at }: Call,
  scope: CompileScope,
): Code | undefined {
  if (doubles === undefined) return undefined;
  return code(codeOf(left, scope), codeOf(right, scope), doubles, ARITHMETIC[symbol], at);
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
