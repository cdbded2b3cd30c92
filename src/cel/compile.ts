/**
 * Trees to closures. A compiled expression evaluates without allocating where the language allows it, reports
 * errors as values, and looks nothing up by name that was known when it was compiled.
 */

import { children, type Expr, type MemberCall } from "./ast.js";
import { compileArithmetic } from "./compile/arithmetic.js";
import { compileCall } from "./compile/calls.js";
import type { Code, CompileEnv, Scope } from "./compile/code.js";
import { compileComparison } from "./compile/comparisons.js";
import { compileIntersection } from "./compile/intersections.js";
import { compileList, compileMap } from "./compile/literals.js";
import { compileLogic } from "./compile/logic.js";
import { compileBind, compileMacro } from "./compile/macros.js";
import { compileOptionalSelect, compileOr } from "./compile/optionals.js";
import { compileChain, compileHas } from "./compile/paths.js";
import { selectFrom } from "./compile/select.js";
import { compileConcat } from "./compile/strings.js";
import { failAt } from "./evaluation.js";
import { OPERATORS } from "./operators.js";

export { type Code, type CompileEnv, Slots, type Watch } from "./compile/code.js";
export { pathKey, variableKey } from "./compile/slot-keys.js";

/** Throws for what is not a whole expression: reaching that is a defect of the caller, not of a policy. */
export function compile(expr: Expr, env: CompileEnv): Code {
  const { doom } = expr;
  if (doom !== undefined) return (ev) => failAt(ev, doom.message, doom.at);
  return node(expr, { ...env, locals: new Map(), depth: 0 });
}

function node(expr: Expr, scope: Scope): Code {
  const { watch } = scope;
  const code = plain(expr, scope);
  if (watch === undefined) return code;
  return (ev) => {
    const value = code(ev);
    watch(expr, value, ev.fault);
    return value;
  };
}

function plain(expr: Expr, scope: Scope): Code {
  const chained = compileChain(expr, scope, node);
  if (chained !== undefined) return chained;
  switch (expr.kind) {
    case "literal": {
      const { value } = expr;
      return () => value;
    }
    case "select":
      return selectFrom(expr, node(expr.operand, scope));
    case "has":
      return compileHas(expr, scope, node);
    case "call": {
      if (OPERATORS.get(expr.fn)?.kind === "optionalField") return compileOptionalSelect(expr, scope, node);
      const general = (): Code => compileCall(expr, expr.args, scope, node) ?? unbound(expr.fn);
      return (
        compileLogic(expr, scope, node) ??
        compileComparison(expr, scope, node) ??
        compileConcat(expr, scope, node) ??
        compileArithmetic(expr, scope, node) ??
        // Fused, it makes no values of the list's elements, which whoever watches wants to see.
        (scope.watch === undefined ? compileIntersection(expr, scope, node, general) : undefined) ??
        general()
      );
    }
    case "member":
      return memberCode(expr, scope);
    case "list":
      return compileList(expr, scope, node);
    case "map":
      return compileMap(expr, scope, node);
    case "macro":
      return compileMacro(expr, scope, node);
    case "bind":
      return compileBind(expr, scope, node);
    case "ident":
      return unbound(expr.name);
    case "optional":
      // Literals compile theirs themselves.
      return unbound("an optional entry");
  }
}

function memberCode(expr: MemberCall, scope: Scope): Code {
  const args = children(expr);
  return compileOr(expr, scope, node) ?? compileCall(expr, args, scope, node) ?? unbound(expr.fn);
}

function unbound(name: string): never {
  throw new Error(`keyward: cannot compile ${name}: it is part of an expression that binds it`);
}
