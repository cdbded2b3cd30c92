/** `==`, `!=`, the orderings and `in`, specialised where one side is a constant. */

import type { Call, Expr } from "../ast.js";
import { compare, equals } from "../equality.js";
import { type Evaluation, failAt, type Result, spend } from "../evaluation.js";
import { memberOf } from "../functions/operators.js";
import type { CelValue } from "../values.js";
import type { Code, Compile, Scope } from "./code.js";

export function compileComparison(expr: Call, scope: Scope, compile: Compile): Code | undefined {
  const [left, right] = expr.args;
  if (left === undefined || right === undefined || expr.args.length !== 2) return undefined;
  switch (expr.fn) {
    case "_==_":
      return equality(left, right, true, scope, compile);
    case "_!=_":
      return equality(left, right, false, scope, compile);
    case "_<_":
      return ordering(left, right, (c) => c < 0, expr.at, scope, compile);
    case "_<=_":
      return ordering(left, right, (c) => c <= 0, expr.at, scope, compile);
    case "_>_":
      return ordering(left, right, (c) => c > 0, expr.at, scope, compile);
    case "_>=_":
      return ordering(left, right, (c) => c >= 0, expr.at, scope, compile);
    case "@in":
      return membership(left, right, expr.at, scope, compile);
    default:
      return undefined;
  }
}

function equality(left: Expr, right: Expr, want: boolean, scope: Scope, compile: Compile): Code {
  if (right.kind === "literal") return equalsConstant(compile(left, scope), right.value, want);
  if (left.kind === "literal") return equalsConstant(compile(right, scope), left.value, want);
  const a = compile(left, scope);
  const b = compile(right, scope);
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    if (typeof x === "string") return (x === y) === want;
    const verdict = equals(ev, x, y);
    return verdict === undefined ? undefined : verdict === want;
  };
}

/** Strings, booleans and null equal only themselves, so `===` is the whole comparison. */
function equalsConstant(code: Code, constant: CelValue, want: boolean): Code {
  if (typeof constant === "string" || typeof constant === "boolean" || constant === null) {
    return (ev) => {
      const x = code(ev);
      return x === undefined ? undefined : (x === constant) === want;
    };
  }
  const asDouble = typeof constant === "bigint" ? Number(constant) : Number.NaN;
  return (ev) => {
    const x = code(ev);
    if (x === undefined) return undefined;
    // An int beside a double compares as a double (cel-go's cross-type comparison).
    if (typeof x === "number" && typeof constant === "bigint") return (x === asDouble) === want;
    const verdict = equals(ev, x, constant);
    return verdict === undefined ? undefined : verdict === want;
  };
}

function ordering(
  left: Expr,
  right: Expr,
  holds: (comparison: number) => boolean,
  at: number,
  scope: Scope,
  compile: Compile,
): Code {
  const a = compile(left, scope);
  const b = compile(right, scope);
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    const comparison = compare(x, y);
    return comparison === undefined ? failAt(ev, "no such overload", at) : holds(comparison);
  };
}

/** Past this many constants a set is searched instead of a list. */
const SET_FROM = 8;

function membership(left: Expr, right: Expr, at: number, scope: Scope, compile: Compile): Code {
  const item = compile(left, scope);
  const strings = right.kind === "list" ? stringConstants(right.elements) : undefined;
  if (strings !== undefined) {
    const has = strings.length >= SET_FROM ? setHas(strings) : (s: string) => strings.includes(s);
    return (ev) => {
      const value = item(ev);
      return value === undefined ? undefined : typeof value === "string" && has(value);
    };
  }
  const range = compile(right, scope);
  return (ev) => {
    const value = item(ev);
    if (value === undefined) return undefined;
    const within = range(ev);
    if (within === undefined) return undefined;
    if (typeof value === "string" && Array.isArray(within)) {
      return spend(ev, within.length / 16) ? within.includes(value) : undefined;
    }
    return located(ev, memberOf(ev, value, within), at);
  };
}

function located(ev: Evaluation, result: Result, at: number): Result {
  if (result === undefined) ev.faultAt = at;
  return result;
}

function setHas(strings: readonly string[]): (s: string) => boolean {
  const set = new Set(strings);
  return (s) => set.has(s);
}

function stringConstants(elements: readonly Expr[]): readonly string[] | undefined {
  const strings: string[] = [];
  for (const element of elements) {
    if (element.kind !== "literal" || typeof element.value !== "string") return undefined;
    strings.push(element.value);
  }
  return strings;
}
