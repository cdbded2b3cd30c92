/**
 * Functions of numbers (cel-go `ext/math.go` of v0.30). `math.greatest` and `math.least` are macros there: the compiler
 * turns them into `math.@max` and `math.@min` of one, two, or a list of arguments.
 */

import { compare } from "../equality.js";
import { type Evaluation, type EvaluationResult, fail, spend } from "../evaluation.js";
import { MIN_INT } from "../numbers.js";
import { BOOL, type CelType, DOUBLE, DYN, INT, list, UINT } from "../types.js";
import { type CelValue, isList, Uint } from "../values.js";
import { binary, NO_OVERLOAD, type Overload, unary } from "./overload.js";

const NUMBERS: readonly CelType[] = [DOUBLE, INT, UINT];

function isNumber(value: CelValue): boolean {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Uint;
}

/** Returns `b` if its order relative to `a` is `wanted`, otherwise `a`. So the first of two equal numbers wins. */
function pick(ev: Evaluation, name: string, a: CelValue, b: CelValue, wanted: -1 | 1): EvaluationResult {
  const order = compare(b, a);
  if (order === undefined) {
    return fail(ev, Number.isNaN(a) || Number.isNaN(b) ? `NaN values cannot be ordered: ${name}` : "no such overload");
  }
  return order === wanted ? b : a;
}

/** `math.@max` and `math.@min`. */
function extreme(name: string, wanted: -1 | 1): Overload[] {
  const one = (ev: Evaluation, value: CelValue): EvaluationResult | typeof NO_OVERLOAD => {
    if (isNumber(value)) return value;
    if (!isList(value)) return NO_OVERLOAD;
    if (!spend(ev, 1 + (value.length >> 3))) return undefined;
    let best: EvaluationResult;
    for (const element of value) {
      if (!isNumber(element)) return fail(ev, `no such overload: ${name}${best === undefined ? "(list)" : ""}`);
      best = best === undefined ? element : pick(ev, name, best, element, wanted);
      if (best === undefined) return undefined;
    }
    return best ?? fail(ev, `${name}(list) argument must not be empty`);
  };
  const two = (ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult | typeof NO_OVERLOAD =>
    isNumber(a) && isNumber(b) ? pick(ev, name, a, b, wanted) : NO_OVERLOAD;
  const of1 = (a: CelType, result: CelType): Overload => {
    return { name, style: "global", params: [a], result, run: { arity: 1, call: one } };
  };
  const of2 = (a: CelType, b: CelType): Overload => {
    return { name, style: "global", params: [a, b], result: a === b ? a : DYN, run: { arity: 2, call: two } };
  };
  // In cel-go's order: an argument of unknown type selects the first overload that fits.
  return [
    ...NUMBERS.map((type) => of1(type, type)),
    ...NUMBERS.map((type) => of2(type, type)),
    ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => of2(a, b))),
    ...NUMBERS.map((type) => of1(list(type), type)),
  ];
}

/** Rounds halves away from zero. */
function round(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

function onDouble(name: string, f: (value: number) => number): Overload {
  return unary("global", name, DOUBLE, DOUBLE, (_ev, value) => f(value));
}

function testDouble(name: string, f: (value: number) => boolean): Overload {
  return unary("global", name, DOUBLE, BOOL, (_ev, value) => f(value));
}

function bitwise(name: string, f: (a: bigint, b: bigint) => bigint): Overload[] {
  return [
    binary("global", name, INT, INT, INT, (_ev, a, b) => f(a, b)),
    binary("global", name, UINT, UINT, UINT, (_ev, a, b) => new Uint(f(a.value, b.value))),
  ];
}

/** Shifts by 64 bits or more give 0. `f` operates on the 64 bits without a sign. */
function shift(name: string, f: (bits: bigint, by: bigint) => bigint): Overload[] {
  const shifted = (ev: Evaluation, bits: bigint, by: bigint): bigint | undefined => {
    if (by < 0n) return fail(ev, `${name}() negative offset: ${by}`);
    return by >= 64n ? 0n : BigInt.asUintN(64, f(bits, by));
  };
  return [
    binary("global", name, INT, INT, INT, (ev, value, by) => {
      const bits = shifted(ev, BigInt.asUintN(64, value), by);
      return bits === undefined ? undefined : BigInt.asIntN(64, bits);
    }),
    binary("global", name, UINT, INT, UINT, (ev, value, by) => {
      const bits = shifted(ev, value.value, by);
      return bits === undefined ? undefined : new Uint(bits);
    }),
  ];
}

function absoluteInt(ev: Evaluation, value: bigint): bigint | undefined {
  if (value === MIN_INT) return fail(ev, "integer overflow");
  return value < 0n ? -value : value;
}

function signOf(value: bigint): bigint {
  if (value === 0n) return 0n;
  return value < 0n ? -1n : 1n;
}

export const mathFunctions: readonly Overload[] = [
  ...extreme("math.@max", 1),
  ...extreme("math.@min", -1),
  onDouble("math.ceil", Math.ceil),
  onDouble("math.floor", Math.floor),
  onDouble("math.round", round),
  onDouble("math.trunc", Math.trunc),
  testDouble("math.isInf", (value) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY),
  testDouble("math.isNaN", Number.isNaN),
  testDouble("math.isFinite", Number.isFinite),
  onDouble("math.abs", Math.abs),
  unary("global", "math.abs", INT, INT, absoluteInt),
  unary("global", "math.abs", UINT, UINT, (_ev, value) => value),
  // -0 has the sign 0, as in cel-go.
  onDouble("math.sign", (value) => Math.sign(value) + 0),
  unary("global", "math.sign", INT, INT, (_ev, value) => signOf(value)),
  unary("global", "math.sign", UINT, UINT, (_ev, value) => new Uint(signOf(value.value))),
  onDouble("math.sqrt", Math.sqrt),
  unary("global", "math.sqrt", INT, DOUBLE, (_ev, value) => Math.sqrt(Number(value))),
  unary("global", "math.sqrt", UINT, DOUBLE, (_ev, value) => Math.sqrt(Number(value.value))),
  ...bitwise("math.bitAnd", (a, b) => a & b),
  ...bitwise("math.bitOr", (a, b) => a | b),
  ...bitwise("math.bitXor", (a, b) => a ^ b),
  unary("global", "math.bitNot", INT, INT, (_ev, value) => ~value),
  unary("global", "math.bitNot", UINT, UINT, (_ev, value) => new Uint(BigInt.asUintN(64, ~value.value))),
  ...shift("math.bitShiftLeft", (bits, by) => bits << by),
  ...shift("math.bitShiftRight", (bits, by) => bits >> by),
];
