/**
 * Conversions between types, `type` and `size` (cel-go `common/stdlib`, `common/types`). Texts are parsed by Go's
 * rules: `strconv` for numbers and booleans, RFC 3339 for timestamps, `time.ParseDuration` for durations.
 */

import { sizeOf, typeOf } from "../equality.js";
import { type Evaluation, fail, spend } from "../evaluation.js";
import { formatDouble, MAX_INT, parseDouble, parseInt64, parseUint64 } from "../numbers.js";
import { codePointLength, decodeUtf8, encodeUtf8 } from "../text.js";
import { formatDuration, formatTimestamp, makeTimestamp, parseDuration, parseTimestamp } from "../time.js";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  list,
  map,
  param,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from "../types.js";
import { type CelValue, type Duration, type Timestamp, TypeValue, Uint } from "../values.js";
import { Hierarchy } from "./hierarchy-value.js";
import { NO_OVERLOAD, type Overload, unary } from "./overload.js";

const TWO_63 = 2 ** 63;
const TWO_64 = 2 ** 64;

function cannotConvert(ev: Evaluation, from: string, to: string): undefined {
  return fail(ev, `type conversion error from '${from}' to '${to}'`);
}

function doubleToInt(ev: Evaluation, value: number): bigint | undefined {
  // Written so that NaN fails. -2^63 itself is refused, as in cel-go.
  return value > -TWO_63 && value < TWO_63 ? BigInt(Math.trunc(value)) : fail(ev, "integer overflow");
}

function doubleToUint(ev: Evaluation, value: number): Uint | undefined {
  return value >= 0 && value < TWO_64 ? new Uint(BigInt(Math.trunc(value))) : fail(ev, "unsigned integer overflow");
}

function stringToUint(ev: Evaluation, text: string): Uint | undefined {
  const value = parseUint64(text);
  return value === undefined ? cannotConvert(ev, "string", "uint") : new Uint(value);
}

function bytesToString(ev: Evaluation, bytes: Uint8Array): string | undefined {
  if (!spend(ev, 1 + (bytes.length >> 6))) return undefined;
  return decodeUtf8(bytes) ?? fail(ev, "invalid UTF-8 in bytes, cannot convert to string");
}

const BOOLEANS = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** Measured: parsing or formatting a timestamp or a duration takes about 400 ns, independent of its length. */
export const TIME_COST = 4;

function stringToTimestamp(ev: Evaluation, text: string): Timestamp | undefined {
  if (!spend(ev, TIME_COST)) return undefined;
  return parseTimestamp(text) ?? cannotConvert(ev, "string", "google.protobuf.Timestamp");
}

function stringToDuration(ev: Evaluation, text: string): Duration | undefined {
  if (!spend(ev, TIME_COST)) return undefined;
  return parseDuration(text) ?? cannotConvert(ev, "string", "google.protobuf.Duration");
}

function secondsToTimestamp(ev: Evaluation, seconds: bigint): Timestamp | undefined {
  return makeTimestamp(Number(seconds), 0, 0) ?? fail(ev, "timestamp overflow");
}

function same<T extends CelValue>(_ev: Evaluation, value: T): T {
  return value;
}

const conversions: readonly Overload[] = [
  unary("global", "int", INT, INT, same),
  unary("global", "int", DOUBLE, INT, doubleToInt),
  unary("global", "int", DURATION, INT, (_ev, duration) => duration.nanos),
  unary("global", "int", STRING, INT, (ev, text) => parseInt64(text) ?? cannotConvert(ev, "string", "int")),
  unary("global", "int", TIMESTAMP, INT, (_ev, time) => BigInt(time.seconds)),
  unary("global", "int", UINT, INT, (ev, uint) => (uint.value <= MAX_INT ? uint.value : fail(ev, "integer overflow"))),

  unary("global", "uint", UINT, UINT, same),
  unary("global", "uint", DOUBLE, UINT, doubleToUint),
  unary("global", "uint", INT, UINT, (ev, int) => (int >= 0n ? new Uint(int) : fail(ev, "unsigned integer overflow"))),
  unary("global", "uint", STRING, UINT, stringToUint),

  unary("global", "double", DOUBLE, DOUBLE, same),
  unary("global", "double", INT, DOUBLE, (_ev, int) => Number(int)),
  unary("global", "double", STRING, DOUBLE, (ev, text) => parseDouble(text) ?? cannotConvert(ev, "string", "double")),
  unary("global", "double", UINT, DOUBLE, (_ev, uint) => Number(uint.value)),

  unary("global", "bool", BOOL, BOOL, same),
  unary("global", "bool", STRING, BOOL, (ev, text) => BOOLEANS.get(text) ?? cannotConvert(ev, "string", "bool")),

  unary("global", "bytes", BYTES, BYTES, same),
  unary("global", "bytes", STRING, BYTES, (ev, text) =>
    spend(ev, 1 + (text.length >> 6)) ? encodeUtf8(text) : undefined,
  ),

  unary("global", "string", STRING, STRING, same),
  unary("global", "string", BOOL, STRING, (_ev, bool) => String(bool)),
  unary("global", "string", BYTES, STRING, bytesToString),
  unary("global", "string", DOUBLE, STRING, (_ev, double) => formatDouble(double)),
  unary("global", "string", DURATION, STRING, (ev, duration) =>
    spend(ev, TIME_COST) ? formatDuration(duration) : undefined,
  ),
  unary("global", "string", INT, STRING, (_ev, int) => int.toString()),
  unary("global", "string", TIMESTAMP, STRING, (ev, time) =>
    spend(ev, TIME_COST) ? formatTimestamp(time) : undefined,
  ),
  unary("global", "string", UINT, STRING, (_ev, uint) => uint.value.toString()),

  unary("global", "timestamp", TIMESTAMP, TIMESTAMP, same),
  unary("global", "timestamp", STRING, TIMESTAMP, stringToTimestamp),
  unary("global", "timestamp", INT, TIMESTAMP, secondsToTimestamp),

  unary("global", "duration", DURATION, DURATION, same),
  unary("global", "duration", STRING, DURATION, stringToDuration),

  unary("global", "dyn", param("A"), DYN, same),
  unary("global", "type", param("A"), TYPE, (_ev, value) => new TypeValue(typeOf(value))),
];

/**
 * The size of any value that has one. A dynamic hierarchy has one too, though `size(hierarchy(…))` does not type-check.
 */
function size(ev: Evaluation, value: CelValue): bigint | undefined | typeof NO_OVERLOAD {
  if (typeof value === "string") return spend(ev, value.length >> 6) ? BigInt(codePointLength(value)) : undefined;
  if (typeof value !== "object" || value === null) return NO_OVERLOAD;
  if (value instanceof Hierarchy) return BigInt(value.names.length);
  if (value instanceof Uint8Array || LIST.is(value)) return BigInt(value.length);
  if (!MAP.is(value)) return NO_OVERLOAD;
  const entries = sizeOf(value);
  return spend(ev, 1 + (entries >> 3)) ? BigInt(entries) : undefined;
}

const LIST = list(param("A"));
const MAP = map(param("A"), param("B"));
const SIZED: readonly CelType[] = [BYTES, LIST, MAP, STRING];

const sizes: readonly Overload[] = (["global", "member"] as const).flatMap((style) =>
  SIZED.map((type): Overload => ({ name: "size", style, params: [type], result: INT, run: { arity: 1, call: size } })),
);

export const conversionFunctions: readonly Overload[] = [...conversions, ...sizes];
