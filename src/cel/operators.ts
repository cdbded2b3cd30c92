/**
 * Every operator of the language, by its name in `cel.expr`: its types (those of `common/stdlib/standard.go` of
 * cel-go), its meaning on doubles, and its wording. All code that tells operators apart uses this table.
 */

import { HIERARCHY } from "./functions/hierarchy.js";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  list,
  map,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from "./types.js";

/** Signatures: the types of the operands, then the type of the result. */
type OperatorSignatures = readonly (readonly CelType[])[];

interface OperatorTypes {
  readonly types: OperatorSignatures;
}

/** `&&` and `||`. An operand equal to `decisive` decides the whole. */
export interface JunctionOperator extends OperatorTypes {
  readonly kind: "junction";
  readonly decisive: boolean;
}

/** Words between `a` and `b` for a comparison that holds, and for one that does not. */
type ComparisonWording = readonly [holds: string, doesNot: string];

export interface EqualityOperator extends OperatorTypes {
  readonly kind: "equality";
  readonly equal: boolean;
  readonly said: ComparisonWording;
}

type OrderingSymbol = "<" | "<=" | ">" | ">=";

export interface OrderingOperator extends OperatorTypes {
  readonly kind: "ordering";
  readonly symbol: OrderingSymbol;
  /** The symbol for the same comparison with its operands swapped. */
  readonly converse: OrderingSymbol;
  /** Whether the comparison holds for operands in this order (negative: the first is less). */
  readonly holds: (order: number) => boolean;
  readonly said: ComparisonWording;
}

export interface ArithmeticOperator extends OperatorTypes {
  readonly kind: "arithmetic";
  readonly symbol: "+" | "-" | "*" | "/" | "%";
  readonly said: string;
  /** The result for doubles; undefined if the operator takes none. */
  readonly doubles: ((x: number, y: number) => number) | undefined;
}

interface NegativeOperator extends OperatorTypes {
  readonly kind: "negative";
  readonly said: string;
}

interface OtherOperator extends OperatorTypes {
  readonly kind: "not" | "conditional" | "membership" | "index" | "optionalIndex" | "optionalField";
}

export type Operator =
  | JunctionOperator
  | EqualityOperator
  | OrderingOperator
  | ArithmeticOperator
  | NegativeOperator
  | OtherOperator;

const A = param("A");
const LIST = list(A);
const B = param("B");
const MAP = map(A, B);
const NUMBERS: readonly CelType[] = [INT, UINT, DOUBLE];
const EQUAL = [[A, A, BOOL]] as const;
const LOGICAL = [[BOOL, BOOL, BOOL]] as const;
/** Numbers are ordered across their types. */
const ORDERED: OperatorSignatures = [
  ...[BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type) => [type, type, BOOL]),
  ...NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b, BOOL])),
];

/** Signatures with operands and result of one type. */
function alike(...types: readonly CelType[]): OperatorSignatures {
  return types.map((type) => [type, type, type]);
}

const SUMS: OperatorSignatures = [
  ...alike(BYTES, DOUBLE, DURATION),
  [DURATION, TIMESTAMP, TIMESTAMP],
  [TIMESTAMP, DURATION, TIMESTAMP],
  ...alike(INT, LIST, STRING, UINT),
];
const DIFFERENCES: OperatorSignatures = [
  ...alike(DOUBLE, DURATION, INT),
  [TIMESTAMP, DURATION, TIMESTAMP],
  [TIMESTAMP, TIMESTAMP, DURATION],
  ...alike(UINT),
];
const ELEMENTS: OperatorSignatures = [
  [LIST, INT, A],
  [MAP, A, B],
  [HIERARCHY, INT, STRING],
];

export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["_&&_", { kind: "junction", decisive: false, types: LOGICAL }],
  ["_||_", { kind: "junction", decisive: true, types: LOGICAL }],
  ["_?_:_", { kind: "conditional", types: [[BOOL, A, A, A]] }],
  ["!_", { kind: "not", types: [[BOOL, BOOL]] }],
  ["-_", { kind: "negative", said: "minus", types: [DOUBLE, INT].map((type) => [type, type]) }],
  ["_==_", { kind: "equality", equal: true, said: ["is", "is not"], types: EQUAL }],
  ["_!=_", { kind: "equality", equal: false, said: ["is not", "is"], types: EQUAL }],
  ["_<_", ordering("<", ">", (order) => order < 0, "less than")],
  ["_<=_", ordering("<=", ">=", (order) => order <= 0, "at most")],
  ["_>_", ordering(">", "<", (order) => order > 0, "more than")],
  ["_>=_", ordering(">=", "<=", (order) => order >= 0, "at least")],
  ["_+_", arithmetic("+", "plus", (x, y) => x + y, SUMS)],
  ["_-_", arithmetic("-", "minus", (x, y) => x - y, DIFFERENCES)],
  ["_*_", arithmetic("*", "times", (x, y) => x * y, alike(DOUBLE, INT, UINT))],
  ["_/_", arithmetic("/", "divided by", (x, y) => x / y, alike(DOUBLE, INT, UINT))],
  ["_%_", arithmetic("%", "modulo", undefined, alike(INT, UINT))],
  ["_[_]", { kind: "index", types: ELEMENTS }],
  ["@in", { kind: "membership", types: [LIST, MAP].map((container) => [A, container, BOOL]) }],
  // Optional access has its types declared with the functions (`functions/optionals.ts`).
  ["_[?_]", { kind: "optionalIndex", types: [] }],
  ["_?._", { kind: "optionalField", types: [] }],
]);

function arithmetic(
  symbol: ArithmeticOperator["symbol"],
  said: string,
  doubles: ArithmeticOperator["doubles"],
  types: OperatorSignatures,
): ArithmeticOperator {
  return { kind: "arithmetic", symbol, said, doubles, types };
}

function ordering(
  symbol: OrderingSymbol,
  converse: OrderingSymbol,
  holds: OrderingOperator["holds"],
  said: string,
): OrderingOperator {
  return { kind: "ordering", symbol, converse, holds, said: [`is ${said}`, `is not ${said}`], types: ORDERED };
}

const TESTS: ReadonlySet<Operator["kind"]> = new Set(["junction", "not", "equality", "ordering", "membership"]);

/** Whether a function is an operator that reads a member as an optional: `a.?b`, `a[?k]`. */
export function isOptionalAccess(fn: string): boolean {
  const kind = OPERATORS.get(fn)?.kind;
  return kind === "optionalField" || kind === "optionalIndex";
}

/** Whether a function is an operator with a boolean result. */
export function isBooleanOperator(fn: string): boolean {
  const operator = OPERATORS.get(fn);
  return operator !== undefined && TESTS.has(operator.kind);
}
