/**
 * Declarations of functions. Each family of functions has a file that exports a list of overloads, and `registry.ts`
 * joins them. Static checking uses the declared types. At run time an overload with types that do not fit its arguments
 * returns {@link NO_OVERLOAD}, and the next one is tried.
 */

import type { Evaluation, EvaluationResult } from "../evaluation.js";
import type { CerbosLevel } from "../levels.js";
import type { CelType } from "../types.js";
import type { CelValue } from "../values.js";

/** The arguments do not fit this overload's types. Not an error by itself: another overload may fit. */
export const NO_OVERLOAD: unique symbol = Symbol("no such overload");

type OverloadResult = EvaluationResult | typeof NO_OVERLOAD;

/** The implementation, by number of arguments (a receiver counts as the first). */
export type Implementation =
  | { readonly arity: 0; call(ev: Evaluation): OverloadResult }
  | { readonly arity: 1; call(ev: Evaluation, a: CelValue): OverloadResult }
  | { readonly arity: 2; call(ev: Evaluation, a: CelValue, b: CelValue): OverloadResult }
  | { readonly arity: 3; call(ev: Evaluation, a: CelValue, b: CelValue, c: CelValue): OverloadResult }
  | { readonly arity: 4; call(ev: Evaluation, a: CelValue, b: CelValue, c: CelValue, d: CelValue): OverloadResult };

/** How a function is called: `f(x)` (global) or `x.f()` (member). */
export type CallStyle = "global" | "member";

export interface Overload {
  readonly name: string;
  readonly style: CallStyle;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: Implementation;
  /**
   * For an overload of two arguments: returns a specialised implementation for a constant second argument, or
   * undefined. The implementation may rely on the declared type of the first argument.
   */
  readonly prepare?: (second: CelValue) => ((ev: Evaluation, first: CelValue) => EvaluationResult) | undefined;
  /** The only level that has the function with this meaning; undefined: every level has it. */
  readonly level?: CerbosLevel;
  /** The implementation accepts and returns other values than declared: the types serve static checking only. */
  readonly isMisdeclared?: true;
}

/** An overload that one level alone has, or has with this meaning. */
export function atLevel(level: CerbosLevel, overload: Overload): Overload {
  return { ...overload, level };
}

/** `f()`. */
export function nullary<R extends CelValue>(
  style: CallStyle,
  name: string,
  result: CelType<R>,
  f: (ev: Evaluation) => R | undefined,
): Overload {
  return { name, style, params: [], result, run: { arity: 0, call: f } };
}

/** `f(a)` or `a.f()`. */
export function unary<A extends CelValue, R extends CelValue>(
  style: CallStyle,
  name: string,
  a: CelType<A>,
  result: CelType<R>,
  f: (ev: Evaluation, a: A) => R | undefined,
): Overload {
  const call = (ev: Evaluation, x: CelValue): OverloadResult => (a.is(x) ? f(ev, x) : NO_OVERLOAD);
  return { name, style, params: [a], result, run: { arity: 1, call } };
}

/** `f(a, b)` or `a.f(b)`. */
export function binary<A extends CelValue, B extends CelValue, R extends CelValue>(
  style: CallStyle,
  name: string,
  a: CelType<A>,
  b: CelType<B>,
  result: CelType<R>,
  f: (ev: Evaluation, a: A, b: B) => R | undefined,
): Overload {
  const call = (ev: Evaluation, x: CelValue, y: CelValue): OverloadResult =>
    a.is(x) && b.is(y) ? f(ev, x, y) : NO_OVERLOAD;
  return { name, style, params: [a, b], result, run: { arity: 2, call } };
}

/** `f(a, b, c)` or `a.f(b, c)`. */
export function ternary<A extends CelValue, B extends CelValue, C extends CelValue, R extends CelValue>(
  style: CallStyle,
  name: string,
  a: CelType<A>,
  b: CelType<B>,
  c: CelType<C>,
  result: CelType<R>,
  f: (ev: Evaluation, a: A, b: B, c: C) => R | undefined,
): Overload {
  const call = (ev: Evaluation, x: CelValue, y: CelValue, z: CelValue): OverloadResult =>
    a.is(x) && b.is(y) && c.is(z) ? f(ev, x, y, z) : NO_OVERLOAD;
  return { name, style, params: [a, b, c], result, run: { arity: 3, call } };
}

/** `a.f(b, c, d)`. */
export function quaternary<
  A extends CelValue,
  B extends CelValue,
  C extends CelValue,
  D extends CelValue,
  R extends CelValue,
>(
  style: CallStyle,
  name: string,
  a: CelType<A>,
  b: CelType<B>,
  c: CelType<C>,
  d: CelType<D>,
  result: CelType<R>,
  f: (ev: Evaluation, a: A, b: B, c: C, d: D) => R | undefined,
): Overload {
  const call = (ev: Evaluation, w: CelValue, x: CelValue, y: CelValue, z: CelValue): OverloadResult =>
    a.is(w) && b.is(x) && c.is(y) && d.is(z) ? f(ev, w, x, y, z) : NO_OVERLOAD;
  return { name, style, params: [a, b, c, d], result, run: { arity: 4, call } };
}
