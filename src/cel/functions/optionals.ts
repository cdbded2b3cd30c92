/**
 * Optional values (cel-go `cel/library.go`, `OptionalTypes`). `compile/optionals.ts` compiles `a.?b`, and `or` and
 * `orValue`, which evaluate their argument only if they need it. `optMap` and `optFlatMap` are macros.
 */

import { sizeOf } from "../equality.js";
import { type Evaluation, fail, spend } from "../evaluation.js";
import { MessageValue } from "../message-value.js";
import { optionalMember } from "../optional-access.js";
import { BOOL, type CelType, INT, list, map, optional, param } from "../types.js";
import {
  type CelList,
  type CelValue,
  Duration,
  isList,
  isMap,
  NONE,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "../values.js";
import { index } from "./operators.js";
import { nullary, type Overload, unary } from "./overload.js";

const V = param("V");
const K = param("K");
const OPTIONAL = optional(V);
const LIST = list(V);
const MAP = map(K, V);

/** Go's zero time: the beginning of the year 1. */
const YEAR_ONE = -62_135_596_800;

/** Whether a value is its type's default. Optionals, types and Cerbos's own values have no default. */
function isZero(ev: Evaluation, value: CelValue): boolean | undefined {
  if (value === null) return true;
  if (typeof value !== "object") return value === false || value === 0 || value === 0n || value === "";
  if (isList(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === YEAR_ONE && value.nanos === 0;
  if (value instanceof MessageValue) return Object.keys(value.shown).length === 0;
  if (value instanceof TypeValue || value instanceof Opaque || !isMap(value)) return false;
  const entries = sizeOf(value);
  return spend(ev, entries >> 3) ? entries === 0 : undefined;
}

function nonZero(ev: Evaluation, value: CelValue): OptionalValue | undefined {
  const zero = isZero(ev, value);
  return zero === undefined ? undefined : zero ? NONE : new OptionalValue(value);
}

function held(ev: Evaluation, { value }: OptionalValue): CelValue | undefined {
  return value === undefined ? fail(ev, "optional.none() dereference") : value;
}

function elementOf(elements: CelList, at: number): OptionalValue {
  const element = elements.at(at);
  return element === undefined ? NONE : new OptionalValue(element);
}

/** The values of the optionals that have one. */
function unwrap(ev: Evaluation, elements: CelList): CelList | undefined {
  if (!spend(ev, 1 + (elements.length >> 3))) return undefined;
  const values: CelValue[] = [];
  for (const element of elements) {
    if (!(element instanceof OptionalValue)) return fail(ev, "unwrap of a value that is not optional");
    if (element.value !== undefined) values.push(element.value);
  }
  return values;
}

/**
 * The compiler handles `or` and `orValue`, which evaluate their arguments lazily; calling them as functions is an
 * error.
 */
function lazy(ev: Evaluation): undefined {
  return fail(ev, "no such overload");
}

function indexing(name: string, call: typeof index, a: CelType, key: CelType): Overload {
  return { name, style: "global", params: [a, key], result: OPTIONAL, run: { arity: 2, call } };
}

export const optionalFunctions: readonly Overload[] = [
  unary("global", "optional.of", V, OPTIONAL, (_ev, value) => new OptionalValue(value)),
  unary("global", "optional.ofNonZeroValue", V, OPTIONAL, nonZero),
  nullary("global", "optional.none", OPTIONAL, () => NONE),
  unary("member", "hasValue", OPTIONAL, BOOL, (_ev, { value }) => value !== undefined),
  unary("member", "value", OPTIONAL, V, held),
  { name: "or", style: "member", params: [OPTIONAL, OPTIONAL], result: OPTIONAL, run: { arity: 2, call: lazy } },
  { name: "orValue", style: "member", params: [OPTIONAL, V], result: V, run: { arity: 2, call: lazy } },
  indexing("_[?_]", optionalMember, LIST, INT),
  indexing("_[?_]", optionalMember, optional(LIST), INT),
  indexing("_[?_]", optionalMember, MAP, K),
  indexing("_[?_]", optionalMember, optional(MAP), K),
  indexing("_[_]", index, optional(LIST), INT),
  indexing("_[_]", index, optional(MAP), K),
  unary("member", "first", LIST, OPTIONAL, (_ev, elements) => elementOf(elements, 0)),
  unary("member", "last", LIST, OPTIONAL, (_ev, elements) => elementOf(elements, -1)),
  unary("global", "optional.unwrap", list(OPTIONAL), LIST, unwrap),
  unary("member", "unwrapOpt", list(OPTIONAL), LIST, unwrap),
];
