/** `==`, `!=`, the orderings and `in`, specialised where one side is a constant. */

import type { Call, Expr } from "../ast.js";
import { differ, equals, isIncomparable, TEXT_STEP } from "../equality.js";
import type { Evaluation, EvaluationResult } from "../evaluation.js";
import { memberOf, order } from "../functions/operators.js";
import type { EqualityOperator, OrderingOperator } from "../operators.js";
import { type CelValue, Opaque } from "../values.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

export function compileEquality(left: Expr, right: Expr, { equal: want }: EqualityOperator, scope: CompileScope): Code {
  if (right.kind === "literal") return equalsConstant(left, right.value, sameAs(right.value), want, scope);
  if (left.kind === "literal") return equalsConstant(right, left.value, isSame(left.value), want, scope);
  const a = codeOf(left, scope);
  const b = codeOf(right, scope);
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    if (typeof x === "string" && typeof y === "string" && x.length < TEXT_STEP) return (x === y) === want;
    return want ? equals(ev, x, y) : differ(ev, x, y);
  };
}

function equalsConstant(expr: Expr, constant: CelValue, same: Same, want: boolean, scope: CompileScope): Code {
  const code = codeOf(expr, scope);
  return (ev) => {
    const x = code(ev);
    if (x === undefined) return undefined;
    const verdict = same(ev, x);
    if (verdict === undefined) return !want && isIncomparable(x, constant) ? true : undefined;
    return verdict === want;
  };
}

type Same = (ev: Evaluation, x: CelValue) => boolean | undefined;

/** `x == constant`. */
function sameAs(constant: CelValue): Same {
  if (typeof constant === "bigint") {
    // An int compared with a double is converted to a double (cel-go's cross-type comparison).
    const asDouble = Number(constant);
    return (ev, x) => (typeof x === "number" ? x === asDouble : equals(ev, x, constant));
  }
  // Values of library types can equal a string (a SPIFFE id does).
  return (ev, x) => (typeof x === "object" ? equals(ev, x, constant) : x === constant || equals(ev, x, constant));
}

/** `constant == x`. For a library type the order of operands matters: `"spiffe://a/b" == id` is false. */
function isSame(constant: CelValue): Same {
  const same = sameAs(constant);
  return (ev, x) => (x instanceof Opaque ? equals(ev, constant, x) : same(ev, x));
}

export function compileOrdering(
  left: Expr,
  right: Expr,
  { holds }: OrderingOperator,
  { fn, at }: Call,
  scope: CompileScope,
): Code {
  const a = codeOf(left, scope);
  if (right.kind === "literal" && typeof right.value === "number") return orderedNumber(fn, a, right.value, holds, at);
  const b = codeOf(right, scope);
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const y = b(ev);
    if (y === undefined) return undefined;
    const found = order(ev, fn, x, y);
    return found === undefined ? withFaultOffsetAt(ev, undefined, at) : holds(found);
  };
}

/** Compares with a constant number other than NaN. */
function orderedNumber(fn: string, a: Code, constant: number, holds: OrderingOperator["holds"], at: number): Code {
  return (ev) => {
    const x = a(ev);
    if (x === undefined) return undefined;
    const found = typeof x === "number" && !Number.isNaN(x) ? x - constant : order(ev, fn, x, constant);
    return found === undefined ? withFaultOffsetAt(ev, undefined, at) : holds(found);
  };
}

/** Lists shorter than this are searched for a text without spending steps. */
const MAX_FREE_SEARCH = 64;

/** From this many constants on, a set is searched in place of a list. */
const SET_FROM = 8;

export function compileMembership(left: Expr, right: Expr, { at }: Call, scope: CompileScope): Code {
  const item = codeOf(left, scope);
  const strings = right.kind === "list" ? stringConstants(right.elements) : undefined;
  if (strings !== undefined) {
    const has = strings.length >= SET_FROM ? setHas(strings) : (s: string) => strings.includes(s);
    return (ev) => {
      const value = item(ev);
      if (typeof value === "string") return has(value);
      if (value === undefined) return undefined;
      return value instanceof Opaque ? withFaultOffsetAt(ev, memberOf(ev, value, strings), at) : false;
    };
  }
  const range = codeOf(right, scope);
  return (ev) => {
    const value = item(ev);
    if (value === undefined) return undefined;
    const within = range(ev);
    if (within === undefined) return undefined;
    if (
      typeof value === "string" &&
      value.length < TEXT_STEP &&
      Array.isArray(within) &&
      within.length < MAX_FREE_SEARCH
    ) {
      if (within.includes(value)) return true;
    }
    return withFaultOffsetAt(ev, memberOf(ev, value, within), at);
  };
}

function withFaultOffsetAt(ev: Evaluation, result: EvaluationResult, at: number): EvaluationResult {
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
