/** Evaluates all operands of junctions, even those that the evaluation passes over: coverage compares their values. */

import type { Expr } from "../ast.js";
import { type Evaluation, isExhausted } from "../evaluation.js";
import type { OperandValue } from "../operand-tree.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

/** `code`, which then evaluates the operands of the tree with this outermost node, if `scope` probes it. */
export function withProbe(code: Code, expr: Expr, scope: CompileScope): Code {
  const { probe, watch: _unwatched, ...rest } = scope;
  const operands = probe?.operandsOf(expr);
  if (probe === undefined || operands === undefined) return code;
  const inner = { ...rest, variables: probe.variables };
  const codes = operands.map((operand) => codeOf(operand, inner));
  return (ev) => {
    const value = code(ev);
    probe.probed(expr, operandValues(codes, ev));
    return value;
  };
}

/** The values of operands. Afterwards the evaluation has as many steps left, and the same fault, as before. */
export function operandValues(codes: readonly Code[], ev: Evaluation): readonly OperandValue[] {
  const { steps, fault, faultAt, readsClock } = ev;
  const values = codes.map((code) => {
    const value = code(ev);
    return typeof value === "boolean" && !isExhausted(ev) ? value : undefined;
  });
  ev.steps = steps;
  ev.fault = fault;
  ev.faultAt = faultAt;
  ev.readsClock = readsClock;
  return values;
}
