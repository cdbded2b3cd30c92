/**
 * Every operator of the language, by its name in `cel.expr`: its types (those of `common/stdlib/standard.go` of
 * cel-go), its meaning on doubles, and its wording. All code that tells operators apart uses this table.
 */

import { HIERARCHY } from "./functions/hierarchy.js";
import { BOOL, BYTES, DOUBLE, DURATION, INT, list, map, param, STRING, TIMESTAMP, type Type, UINT } from "./types.js";

/** Signatures: the types of the operands, then the type of the result. */
type Types = readonly (readonly Type[])[];

interface Typed {
  readonly types: Types;
}

/** `&&` and `||`. An operand equal to `decisive` decides the whole. */
export interface Junction extends Typed {
  readonly kind: "junction";
  readonly decisive: boolean;
}

/** Words between `a` and `b` for a comparison that holds, and for one that does not. */
type Said = readonly [holds: string, doesNot: string];

export interface Equality extends Typed {
  readonly kind: "equality";
  readonly equal: boolean;
  readonly said: Said;
}

type OrderSymbol = "<" | "<=" | ">" | ">=";

export interface Ordering extends Typed {
  readonly kind: "ordering";
  readonly symbol: OrderSymbol;
  /** The symbol for the same comparison with its operands swapped. */
  readonly converse: OrderSymbol;
  /** Whether the comparison holds for operands in this order (negative: the first is less). */
  readonly holds: (order: number) => boolean;
  readonly said: Said;
}

export interface Arithmetic extends Typed {
  readonly kind: "arithmetic";
  readonly symbol: "+" | "-" | "*" | "/" | "%";
  readonly said: string;
  /** The result for doubles; undefined if the operator takes none. */
  readonly doubles: ((x: number, y: number) => number) | undefined;
}

interface Negative extends Typed {
  readonly kind: "negative";
  readonly said: string;
}

interface Other extends Typed {
  readonly kind: "not" | "conditional" | "membership" | "index" | "optionalIndex" | "optionalField";
}

export type Operator = Junction | Equality | Ordering | Arithmetic | Negative | Other;

const A = param("A");
const LIST = list(A);
const B = param("B");
const MAP = map(A, B);
const NUMBERS: readonly Type[] = [INT, UINT, DOUBLE];
const EQUAL = [[A, A, BOOL]] as const;
const LOGICAL = [[BOOL, BOOL, BOOL]] as const;
/** Numbers are ordered across their types. */
const ORDERED: Types = [
  ...[BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type) => [type, type, BOOL]),
  ...NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b, BOOL])),
];

/** Signatures with operands and result of one type. */
function alike(...types: readonly Type[]): Types {
  return types.map((type) => [type, type, type]);
}

const SUMS: Types = [
  ...alike(BYTES, DOUBLE, DURATION),
  [DURATION, TIMESTAMP, TIMESTAMP],
  [TIMESTAMP, DURATION, TIMESTAMP],
  ...alike(INT, LIST, STRING, UINT),
];
const DIFFERENCES: Types = [
  ...alike(DOUBLE, DURATION, INT),
  [TIMESTAMP, DURATION, TIMESTAMP],
  [TIMESTAMP, TIMESTAMP, DURATION],
  ...alike(UINT),
];
const ELEMENTS: Types = [
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
  symbol: Arithmetic["symbol"],
  said: string,
  doubles: Arithmetic["doubles"],
  types: Types,
): Arithmetic {
  return { kind: "arithmetic", symbol, said, doubles, types };
}

function ordering(symbol: OrderSymbol, converse: OrderSymbol, holds: Ordering["holds"], said: string): Ordering {
  return { kind: "ordering", symbol, converse, holds, said: [`is ${said}`, `is not ${said}`], types: ORDERED };
}

const TESTS: ReadonlySet<Operator["kind"]> = new Set(["junction", "not", "equality", "ordering", "membership"]);

/** Whether a function is an operator that reads a member as an optional: `a.?b`, `a[?k]`. */
export function isOptionalAccess(fn: string): boolean {
  const kind = OPERATORS.get(fn)?.kind;
  return kind === "optionalField" || kind === "optionalIndex";
}

/** Whether a function is an operator with a boolean result. */
export function isTest(fn: string): boolean {
  const operator = OPERATORS.get(fn);
  return operator !== undefined && TESTS.has(operator.kind);
}
