/**
 * The operators' overloads, as static checking needs them (`common/stdlib/standard.go` of cel-go). At run time every
 * overload of an operator is the same function of `operators.ts`, which looks at the types itself.
 */

import { differ, equals } from "../equality.js";
import { type Evaluation, fail, type Result } from "../evaluation.js";
import { BOOL, BYTES, DOUBLE, DURATION, INT, list, map, param, STRING, TIMESTAMP, type Type, UINT } from "../types.js";
import type { CelValue } from "../values.js";
import { HIERARCHY } from "./hierarchy.js";
import { add, divide, index, memberOf, modulo, multiply, negate, not, order, subtract } from "./operators.js";
import type { Overload } from "./overload.js";

type Unary = (ev: Evaluation, a: CelValue) => Result;
type Binary = (ev: Evaluation, a: CelValue, b: CelValue) => Result;

const A = param("A");
const B = param("B");
const LIST = list(A);
const MAP = map(A, B);

function operator1(name: string, call: Unary, ...signatures: (readonly [Type, Type])[]): Overload[] {
  return signatures.map(([a, result]) => ({ name, style: "global", params: [a], result, run: { arity: 1, call } }));
}

function operator2(name: string, call: Binary, ...signatures: (readonly [Type, Type, Type])[]): Overload[] {
  return signatures.map(([a, b, result]) => ({
    name,
    style: "global",
    params: [a, b],
    result,
    run: { arity: 2, call },
  }));
}

const NUMBERS: readonly Type[] = [INT, UINT, DOUBLE];
const ORDERED: readonly Type[] = [BOOL, STRING, BYTES, TIMESTAMP, DURATION];
/** Numbers are ordered across their types. */
const COMPARABLE: readonly (readonly [Type, Type, Type])[] = [
  ...ORDERED.map((type) => [type, type, BOOL] as const),
  ...NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b, BOOL] as const)),
];

/** `a < b` and its like: `holds` says which orders satisfy it. */
function comparison(holds: (comparison: -1 | 0 | 1) => boolean): Binary {
  return (ev, a, b) => {
    const result = order(ev, a, b);
    return result === undefined ? undefined : holds(result);
  };
}

/** `&&`, `||` and `?:` evaluate their arguments themselves, so the compiler has to; as functions they are an error. */
function lazy(ev: Evaluation): Result {
  return fail(ev, "no such overload");
}

export const operators: readonly Overload[] = [
  ...operator2("_&&_", lazy, [BOOL, BOOL, BOOL]),
  ...operator2("_||_", lazy, [BOOL, BOOL, BOOL]),
  { name: "_?_:_", style: "global", params: [BOOL, A, A], result: A, run: { arity: 3, call: lazy } },
  ...operator1("!_", not, [BOOL, BOOL]),
  ...operator1("-_", negate, [DOUBLE, DOUBLE], [INT, INT]),
  ...operator2("_==_", equals, [A, A, BOOL]),
  ...operator2("_!=_", differ, [A, A, BOOL]),
  ...operator2(
    "_+_",
    add,
    [BYTES, BYTES, BYTES],
    [DOUBLE, DOUBLE, DOUBLE],
    [DURATION, DURATION, DURATION],
    [DURATION, TIMESTAMP, TIMESTAMP],
    [TIMESTAMP, DURATION, TIMESTAMP],
    [INT, INT, INT],
    [LIST, LIST, LIST],
    [STRING, STRING, STRING],
    [UINT, UINT, UINT],
  ),
  ...operator2(
    "_-_",
    subtract,
    [DOUBLE, DOUBLE, DOUBLE],
    [DURATION, DURATION, DURATION],
    [INT, INT, INT],
    [TIMESTAMP, DURATION, TIMESTAMP],
    [TIMESTAMP, TIMESTAMP, DURATION],
    [UINT, UINT, UINT],
  ),
  ...operator2("_*_", multiply, [DOUBLE, DOUBLE, DOUBLE], [INT, INT, INT], [UINT, UINT, UINT]),
  ...operator2("_/_", divide, [DOUBLE, DOUBLE, DOUBLE], [INT, INT, INT], [UINT, UINT, UINT]),
  ...operator2("_%_", modulo, [INT, INT, INT], [UINT, UINT, UINT]),
  ...operator2(
    "_<_",
    comparison((c) => c < 0),
    ...COMPARABLE,
  ),
  ...operator2(
    "_<=_",
    comparison((c) => c <= 0),
    ...COMPARABLE,
  ),
  ...operator2(
    "_>_",
    comparison((c) => c > 0),
    ...COMPARABLE,
  ),
  ...operator2(
    "_>=_",
    comparison((c) => c >= 0),
    ...COMPARABLE,
  ),
  ...operator2("_[_]", index, [LIST, INT, A], [MAP, A, B], [HIERARCHY, INT, STRING]),
  ...operator2("@in", memberOf, [A, LIST, BOOL], [A, MAP, BOOL]),
];
