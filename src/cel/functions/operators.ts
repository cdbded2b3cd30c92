/**
 * The operators at run time. Each is one function that tests the types of its operands, so that the compiler can call
 * it directly; `signatures.ts` declares their overloads. Rules: the CEL specification and cel-go v0.30, observed on the
 * PDP (`test/cel/server-answers.json`). A number in an attribute is a double, and `double + int` is an error.
 */

import { compare, contains, equals, isEntries, lookup, TEXT_STEP, typeOf } from "../equality.js";
import { type Evaluation, type EvaluationResult, fail, isExhausted, spend } from "../evaluation.js";
import { MessageValue } from "../message-value.js";
import { MAX_INT, MAX_UINT, MIN_INT } from "../numbers.js";
import { optionalMember } from "../optional-access.js";
import { invalidKeyMessage } from "../qualifiers.js";
import { makeDuration, makeTimestamp } from "../time.js";
import {
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  isList,
  isMap,
  Opaque,
  OptionalValue,
  Timestamp,
  Uint,
} from "../values.js";
import { Hierarchy } from "./hierarchy-value.js";
import { SpiffeMatcher } from "./spiffe-value.js";

const NONE = "no such overload";
const NANOS = 1_000_000_000;

/** The error of an operator. cel-go names the operator if it does not apply to the type of the left operand. */
function none(ev: Evaluation, fn: string, left: CelValue): undefined {
  return fail(ev, isFor(fn, left) ? NONE : `${NONE}: ${fn}`);
}

function isFor(fn: string, left: CelValue): boolean {
  if (typeof left === "bigint" || left instanceof Uint) return true;
  if (typeof left === "string" || typeof left === "number") return fn !== "_%_" || typeof left === "string";
  const isOrdering = fn.includes("<") || fn.includes(">");
  if (typeof left === "boolean") return isOrdering;
  if (isList(left)) return fn === "_+_";
  if (left instanceof Uint8Array) return isOrdering || fn === "_+_";
  return (left instanceof Timestamp || left instanceof Duration) && (isOrdering || fn === "_+_" || fn === "_-_");
}

/** `a + b`. */
function add(ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult {
  if (typeof a === "number") return typeof b === "number" ? a + b : none(ev, "_+_", a);
  if (typeof a === "string") return typeof b === "string" ? joinText(ev, a, b) : none(ev, "_+_", a);
  if (typeof a === "bigint") return typeof b === "bigint" ? int(ev, a + b) : none(ev, "_+_", a);
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return none(ev, "_+_", a);
  if (isList(a)) return isList(b) ? joinLists(ev, a, b) : none(ev, "_+_", a);
  if (a instanceof Uint) return b instanceof Uint ? uint(ev, a.value + b.value) : none(ev, "_+_", a);
  if (a instanceof Timestamp) return b instanceof Duration ? shift(ev, a, b.nanos) : none(ev, "_+_", a);
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(ev, a.nanos + b.nanos);
    return b instanceof Timestamp ? shift(ev, b, a.nanos) : none(ev, "_+_", a);
  }
  return a instanceof Uint8Array && b instanceof Uint8Array ? joinBytes(ev, a, b) : none(ev, "_+_", a);
}

/** `a - b`. */
function subtract(ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult {
  if (typeof a === "number") return typeof b === "number" ? a - b : none(ev, "_-_", a);
  if (typeof a === "bigint") return typeof b === "bigint" ? int(ev, a - b) : none(ev, "_-_", a);
  if (a instanceof Uint) return b instanceof Uint ? uint(ev, a.value - b.value) : none(ev, "_-_", a);
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return duration(ev, nanosOf(a) - nanosOf(b));
    if (!(b instanceof Duration)) return none(ev, "_-_", a);
    const back = makeDuration(-b.nanos);
    return back === undefined ? fail(ev, "integer overflow") : shift(ev, a, back.nanos);
  }
  return a instanceof Duration && b instanceof Duration ? duration(ev, a.nanos - b.nanos) : none(ev, "_-_", a);
}

/** `a * b`. */
function multiply(ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult {
  if (typeof a === "number") return typeof b === "number" ? a * b : none(ev, "_*_", a);
  if (typeof a === "bigint") return typeof b === "bigint" ? int(ev, a * b) : none(ev, "_*_", a);
  return a instanceof Uint && b instanceof Uint ? uint(ev, a.value * b.value) : none(ev, "_*_", a);
}

/** `a / b`. Integer division truncates towards zero. */
function divide(ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult {
  if (typeof a === "number") return typeof b === "number" ? a / b : none(ev, "_/_", a);
  if (typeof a === "bigint" && typeof b === "bigint") {
    return b === 0n ? fail(ev, "division by zero") : int(ev, a / b);
  }
  if (!(a instanceof Uint && b instanceof Uint)) return none(ev, "_/_", a);
  return b.value === 0n ? fail(ev, "division by zero") : new Uint(a.value / b.value);
}

/** `a % b`, with the sign of `a`. */
function modulo(ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult {
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (b === 0n) return fail(ev, "modulus by zero");
    return a === MIN_INT && b === -1n ? fail(ev, "integer overflow") : a % b;
  }
  if (!(a instanceof Uint && b instanceof Uint)) return none(ev, "_%_", a);
  return b.value === 0n ? fail(ev, "modulus by zero") : new Uint(a.value % b.value);
}

/** The arithmetic operators by symbol. */
export const ARITHMETIC = { "+": add, "-": subtract, "*": multiply, "/": divide, "%": modulo };

/** `-a`. The checker refuses `-duration`, but a dynamic duration is negated. */
export function negate(ev: Evaluation, a: CelValue): EvaluationResult {
  if (typeof a === "number") return -a;
  if (typeof a === "bigint") return int(ev, -a);
  return a instanceof Duration ? duration(ev, -a.nanos) : fail(ev, NONE);
}

/** `!a`. */
export function not(ev: Evaluation, a: CelValue): EvaluationResult {
  return typeof a === "boolean" ? !a : fail(ev, NONE);
}

/**
 * `container[key]`: an element of a list by an int (or an integral double or uint), a value of a map by a key. Indexing
 * an optional gives an optional.
 */
export function index(ev: Evaluation, container: CelValue, key: CelValue): EvaluationResult {
  if (typeof container !== "object" || container === null) return fail(ev, missingText(key));
  if (isList(container)) return elementAt(ev, container, key);
  if (container instanceof Hierarchy) return container.at(ev, key);
  if (container instanceof MessageValue && typeof key === "string") {
    return container.fields.get(key) ?? fail(ev, `no such field: ${shown(key)}`);
  }
  if (container instanceof OptionalValue) return optionalMember(ev, container, key);
  return isMap(container) ? entryOf(ev, container, key) : fail(ev, missingText(key));
}

function elementAt(ev: Evaluation, list: CelList, key: CelValue): EvaluationResult {
  const at = key instanceof Uint ? key.value : key;
  if (typeof at !== "bigint" && typeof at !== "number") {
    return fail(ev, invalidKeyMessage(key) ?? `unsupported index type '${typeOf(key)}' in list`);
  }
  const position = Number(at);
  if (!Number.isInteger(position)) return fail(ev, `unsupported index value ${at} in list`);
  const element = position >= 0 && position < list.length ? list[position] : undefined;
  return element === undefined ? fail(ev, `index out of bounds: ${at}`) : element;
}

function entryOf(ev: Evaluation, map: CelMap, key: CelValue): EvaluationResult {
  const value = lookup(map, key);
  return value === undefined ? fail(ev, missingText(key)) : value;
}

function missingText(key: CelValue): string {
  return invalidKeyMessage(key) ?? `no such key: ${shown(key)}`;
}

function shown(key: CelValue): string {
  if (typeof key === "string") return key.slice(0, 80);
  if (key instanceof Uint) return String(key.value);
  return typeof key === "object" ? "" : String(key);
}

/**
 * The order of two values, for `<` and the like. If one of two numbers is NaN, the order is NaN, for which every
 * comparison is false. Values without an order are an error. Long texts cost steps.
 */
export function order(ev: Evaluation, fn: string, a: CelValue, b: CelValue): number | undefined {
  if (typeof a === "string" && a.length > 64 && !spend(ev, a.length >> 6)) return undefined;
  const result = compare(a, b);
  if (result !== undefined) return result;
  return isNumber(a) && isNumber(b) ? Number.NaN : none(ev, fn, a);
}

function isNumber(value: CelValue): boolean {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Uint;
}

/** `value in container`. */
export function memberOf(ev: Evaluation, value: CelValue, container: CelValue): boolean | undefined {
  if (typeof container !== "object" || container === null) return fail(ev, NONE);
  if (isList(container))
    return typeof value === "string" ? hasText(ev, container, value) : hasValue(ev, container, value);
  if (!isMap(container)) return fail(ev, NONE);
  if (!isEntries(container)) return typeof value === "string" && contains(container, value);
  return container.size === 0 || isHashable(value) ? contains(container, value) : fail(ev, "unhashable map key");
}

/** Go cannot look these up in a map and errs. In attributes, where keys are strings, they are simply absent. */
function isHashable(value: CelValue): boolean {
  return !(value instanceof Uint8Array || value instanceof Hierarchy || value instanceof SpiffeMatcher);
}

function hasText(ev: Evaluation, list: CelList, text: string): boolean | undefined {
  // A text is compared only with elements of its length, and at most to its end.
  const cost = text.length < TEXT_STEP ? list.length >> 3 : list.length * (1 + Math.floor(text.length / TEXT_STEP));
  if (cost > 0 && !spend(ev, cost)) return undefined;
  for (let i = 0; i < list.length; i++) {
    const element = list[i];
    if (element === text || (element instanceof Opaque && equals(ev, element, text) === true)) return true;
  }
  return false;
}

function hasValue(ev: Evaluation, list: CelList, value: CelValue): boolean | undefined {
  if (!spend(ev, 1 + (list.length >> 2))) return undefined;
  for (const element of list) {
    if (element === value && typeof value !== "object") return true;
    // An element that cannot be compared is not equal; only an exhausted budget ends the search. A SPIFFE id equals its
    // text, but the text does not equal the id; a match in either direction counts here.
    if (equals(ev, value, element) === true || (element instanceof Opaque && equals(ev, element, value) === true))
      return true;
    if (isExhausted(ev)) return undefined;
  }
  return false;
}

function int(ev: Evaluation, value: bigint): EvaluationResult {
  return value >= MIN_INT && value <= MAX_INT ? value : fail(ev, "integer overflow");
}

function uint(ev: Evaluation, value: bigint): EvaluationResult {
  return value >= 0n && value <= MAX_UINT ? new Uint(value) : fail(ev, "unsigned integer overflow");
}

function duration(ev: Evaluation, nanos: bigint): EvaluationResult {
  return makeDuration(nanos) ?? fail(ev, "integer overflow");
}

/** The timestamp moved by a number of nanoseconds, with the same offset. */
function shift(ev: Evaluation, time: Timestamp, by: bigint): EvaluationResult {
  const billion = BigInt(NANOS);
  const sum = time.nanos + Number(by % billion);
  const carry = Math.floor(sum / NANOS);
  const seconds = time.seconds + Number(by / billion) + carry;
  return makeTimestamp(seconds, sum - carry * NANOS, time.offset) ?? fail(ev, "timestamp overflow");
}

/** Nanoseconds since 1970. */
export function nanosOf(time: Timestamp): bigint {
  return BigInt(time.seconds) * BigInt(NANOS) + BigInt(time.nanos);
}

function joinText(ev: Evaluation, a: string, b: string): EvaluationResult {
  const length = a.length + b.length;
  return length < 256 || spend(ev, length >> 7) ? a + b : undefined;
}

function joinLists(ev: Evaluation, a: CelList, b: CelList): EvaluationResult {
  return spend(ev, 1 + ((a.length + b.length) >> 4)) ? [...a, ...b] : undefined;
}

function joinBytes(ev: Evaluation, a: Uint8Array, b: Uint8Array): EvaluationResult {
  if (!spend(ev, 1 + ((a.length + b.length) >> 7))) return undefined;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
