/**
 * Compiles checked trees to closures. A closure avoids allocation where the language allows it, reports errors as
 * values, and looks up nothing by name that was known at compile time.
 */

import type { Expr } from "./ast.js";
import { compileArithmetic } from "./compile/arithmetic.js";
import { compileCall } from "./compile/calls.js";
import { type Code, type CompileEnv, type CompileScope, codeOf } from "./compile/code.js";
import { compileEquality, compileMembership, compileOrdering } from "./compile/comparisons.js";
import { compileIntersection } from "./compile/intersections.js";
import { compileList, compileMap } from "./compile/literals.js";
import { compileConditional, compileJunction, compileNot } from "./compile/logic.js";
import { compileBind, compileMacro } from "./compile/macros.js";
import { compileOptionalField, compileOr } from "./compile/optionals.js";
import { withProbe } from "./compile/probe.js";
import { compileHas, compileReference } from "./compile/references.js";
import { selectFrom } from "./compile/select.js";
import { compileConcat } from "./compile/strings.js";
import { failAt } from "./evaluation.js";
import { type Domain, interpret } from "./interpret.js";

export { type Code, type CompileEnv, SlotNumbers as Slots, type WatchParts as Watch } from "./compile/code.js";
export { operandValues } from "./compile/probe.js";
export { pathKey, variableKey } from "./compile/slot-keys.js";

/** Throws for a node that is not a whole expression: that is a defect of the caller, not of a policy. */
export function compile(expr: Expr, env: CompileEnv): Code {
  const { doom } = expr;
  if (doom !== undefined) return (ev) => failAt(ev, doom.message, doom.at);
  return node(expr, { ...env, locals: new Map(), depth: 0, compile: node });
}

function node(expr: Expr, scope: CompileScope): Code {
  const { watch } = scope;
  const code = scope.replace?.(expr) ?? withProbe(interpret(expr, CLOSURES, scope), expr, scope);
  if (watch === undefined) return code;
  return (ev) => {
    const value = code(ev);
    watch(expr, value, ev.fault);
    return value;
  };
}

const CLOSURES: Domain<CompileScope, Code> = {
  literal({ value }) {
    return () => value;
  },
  reference: compileReference,
  select: (expr, scope) => selectFrom(expr, codeOf(expr.operand, scope)),
  has: compileHas,
  list: compileList,
  map: compileMap,
  macro: compileMacro,
  bind: compileBind,
  part({ kind }) {
    throw new Error(`keyward: cannot compile ${kind}: it is no whole expression`);
  },
  junction: compileJunction,
  not: compileNot,
  conditional: compileConditional,
  equality: compileEquality,
  ordering: compileOrdering,
  membership: compileMembership,
  arithmetic: (left, right, operator, expr, scope) =>
    compileConcat(expr, scope) ??
    compileArithmetic(left, right, operator, expr, scope) ??
    compileCall(expr, expr.args, scope),
  negative: (_, expr, scope) => compileCall(expr, expr.args, scope),
  index: (_container, _key, expr, scope) => compileCall(expr, expr.args, scope),
  optionalField: compileOptionalField,
  call(expr, args, scope) {
    const general = (): Code => compileCall(expr, args, scope);
    return compileOr(expr, args, scope) ?? compileIntersection(expr, args, scope, general) ?? general();
  },
};
