/** The functions of the naive evaluator. Arguments are never errors. Section numbers refer to docs/cerbos-semantics.md. */

import { calendar, inRange, parseDuration, parseTimestamp } from "./time.js";
import {
  bool,
  checkedInt,
  checkedUint,
  compare,
  double,
  equals,
  error,
  INT_MAX,
  INT_MIN,
  int,
  list,
  mapGet,
  NO_OVERLOAD,
  string,
  text,
  type Val,
} from "./values.js";

type Maybe = Val | undefined;

/** `fn(args)` and the operators. */
export function callFunction(fn: string, args: readonly Val[], now: Date | undefined): Val {
  const [a, b] = args;
  if (args.length === 0) return fn === "now" ? clock(now) : unknown(fn);
  if (a === undefined) return NO_OVERLOAD;
  if (args.length === 1) return unary(fn, a, now) ?? NO_OVERLOAD;
  if (args.length === 2 && b !== undefined) return binary(fn, a, b) ?? NO_OVERLOAD;
  return unknown(fn);
}

/** `self.fn(args)`. */
export function callMethod(fn: string, self: Val, args: readonly Val[], now: Date | undefined): Val {
  const [a] = args;
  if (args.length === 0) return methodWithout(fn, self, now) ?? NO_OVERLOAD;
  if (args.length === 1 && a !== undefined) return methodWithOne(fn, self, a) ?? NO_OVERLOAD;
  return unknown(fn);
}

const unknown = (fn: string): Val => error(`unknown function ${fn}`);

function unary(fn: string, a: Val, now: Date | undefined): Maybe {
  switch (fn) {
    case "!_":
      return a.t === "bool" ? bool(!a.v) : undefined;
    case "-_":
      if (a.t === "int") return checkedInt(-a.v);
      return a.t === "double" ? double(-a.v) : undefined;
    case "size":
      return size(a);
    case "dyn":
    case "id":
      return a;
    case "type":
      return { t: "type", v: typeName(a) };
    case "bool":
      return toBool(a);
    case "int":
      return toInt(a);
    case "uint":
      return toUint(a);
    case "double":
      return toDouble(a);
    case "string": {
      const written = text(a);
      return written === undefined ? undefined : string(written);
    }
    case "timestamp":
      return toTimestamp(a);
    case "duration":
      return toDuration(a);
    case "timeSince":
      return timeSince(a, now);
    case "hierarchy":
      return toHierarchy(a);
    default:
      return unknown(fn);
  }
}

function binary(fn: string, a: Val, b: Val): Maybe {
  switch (fn) {
    case "_==_":
      return bool(equals(a, b));
    case "_!=_":
      return bool(!equals(a, b));
    case "_<_":
      return ordered(a, b, (order) => order < 0);
    case "_<=_":
      return ordered(a, b, (order) => order <= 0);
    case "_>_":
      return ordered(a, b, (order) => order > 0);
    case "_>=_":
      return ordered(a, b, (order) => order >= 0);
    case "_+_":
      return add(a, b);
    case "_-_":
      return subtract(a, b);
    case "_*_":
      return multiply(a, b);
    case "_/_":
      return divide(a, b);
    case "_%_":
      return remainder(a, b);
    case "_[_]":
      return index(a, b);
    case "@in":
      return contains(b, a);
    case "hierarchy":
      return a.t === "string" && b.t === "string" ? { t: "hierarchy", v: a.v.split(b.v) } : undefined;
    default:
      return setFunction(fn, a, b) ?? (SETS.has(fn) ? undefined : unknown(fn));
  }
}

function methodWithout(fn: string, self: Val, now: Date | undefined): Maybe {
  switch (fn) {
    case "size":
      return self.t === "hierarchy" ? int(BigInt(self.v.length)) : size(self);
    case "upperAscii": // §3.3: "héllo" becomes "HéLLO"
      return self.t === "string" ? string(self.v.replace(/[a-z]/g, (c) => c.toUpperCase())) : undefined;
    case "lowerAscii":
      return self.t === "string" ? string(self.v.replace(/[A-Z]/g, (c) => c.toLowerCase())) : undefined;
    case "trim":
      return self.t === "string" ? string(self.v.trim()) : undefined;
    case "timeSince":
      return timeSince(self, now);
    default:
      return clockPart(fn, self, 0);
  }
}

function methodWithOne(fn: string, self: Val, a: Val): Maybe {
  if (self.t === "hierarchy" && a.t === "hierarchy") return hierarchyMethod(fn, self.v, a.v);
  if (SETS.has(fn)) return setFunction(fn, self, a);
  if (CHECKS.has(fn)) return check(fn, self, a);
  if (fn.startsWith("get") && a.t === "string") return inZone(fn, self, a.v);
  if (self.t !== "string" || a.t !== "string") return undefined;
  switch (fn) {
    case "startsWith":
      return bool(self.v.startsWith(a.v));
    case "endsWith":
      return bool(self.v.endsWith(a.v));
    case "contains":
      return bool(self.v.includes(a.v));
    case "matches": // RE2; this evaluator only gets patterns with the same meaning in RE2 and JavaScript
      return bool(new RegExp(a.v, "u").test(self.v));
    case "split":
      return list((a.v === "" ? [...self.v] : self.v.split(a.v)).map(string));
    default:
      return unknown(fn);
  }
}

/** Ordering values of different types errs (§3.3). */
function ordered(a: Val, b: Val, test: (order: number) => boolean): Maybe {
  const order = compare(a, b);
  return order === undefined ? undefined : bool(test(order));
}

/** §3.3: number types do not mix, so `R.attr.n + 1` errs: a double and an int. */
function add(a: Val, b: Val): Maybe {
  if (a.t === "int" && b.t === "int") return checkedInt(a.v + b.v);
  if (a.t === "uint" && b.t === "uint") return checkedUint(a.v + b.v);
  if (a.t === "double" && b.t === "double") return double(a.v + b.v);
  if (a.t === "string" && b.t === "string") return string(a.v + b.v);
  if (a.t === "bytes" && b.t === "bytes") return { t: "bytes", v: Uint8Array.from([...a.v, ...b.v]) };
  if (a.t === "list" && b.t === "list") return list([...a.v, ...b.v]);
  if (a.t === "duration" && b.t === "duration") return durationOf(a.v + b.v);
  if (a.t === "timestamp" && b.t === "duration") return timestampOf(a.v + b.v, a.offset);
  if (a.t === "duration" && b.t === "timestamp") return timestampOf(a.v + b.v, b.offset);
  return undefined;
}

function subtract(a: Val, b: Val): Maybe {
  if (a.t === "int" && b.t === "int") return checkedInt(a.v - b.v);
  if (a.t === "uint" && b.t === "uint") return checkedUint(a.v - b.v);
  if (a.t === "double" && b.t === "double") return double(a.v - b.v);
  if (a.t === "duration" && b.t === "duration") return durationOf(a.v - b.v);
  if (a.t === "timestamp" && b.t === "duration") return timestampOf(a.v - b.v, a.offset);
  if (a.t === "timestamp" && b.t === "timestamp") return durationOf(a.v - b.v);
  return undefined;
}

function multiply(a: Val, b: Val): Maybe {
  if (a.t === "int" && b.t === "int") return checkedInt(a.v * b.v);
  if (a.t === "uint" && b.t === "uint") return checkedUint(a.v * b.v);
  return a.t === "double" && b.t === "double" ? double(a.v * b.v) : undefined;
}

/** Integers truncate: `5/2` is 2, `-5 % 3` is -2 (§3.3). Doubles can be divided by zero, integers cannot. */
function divide(a: Val, b: Val): Maybe {
  if (a.t === "int" && b.t === "int") return b.v === 0n ? error("division by zero") : checkedInt(a.v / b.v);
  if (a.t === "uint" && b.t === "uint") return b.v === 0n ? error("division by zero") : checkedUint(a.v / b.v);
  return a.t === "double" && b.t === "double" ? double(a.v / b.v) : undefined;
}

function remainder(a: Val, b: Val): Maybe {
  if (a.t === "int" && b.t === "int") return b.v === 0n ? error("modulus by zero") : checkedInt(a.v % b.v);
  if (a.t === "uint" && b.t === "uint") return b.v === 0n ? error("modulus by zero") : checkedUint(a.v % b.v);
  return undefined;
}

/** `a[b]` (§3.3): integral doubles index lists; strings cannot be indexed. */
function index(a: Val, b: Val): Maybe {
  if (a.t === "map") return mapGet(a, b) ?? error("no such key");
  if (b.t !== "int" && b.t !== "uint" && b.t !== "double") return undefined;
  const at = Number(b.v);
  if (a.t === "list") return (Number.isInteger(at) ? a.v[at] : undefined) ?? error("index out of bounds");
  if (a.t === "hierarchy" && b.t === "int") {
    const part = a.v[at];
    return part === undefined ? error("index out of range") : string(part);
  }
  return undefined;
}

/** `x in container`: an equal element of a list, or a key of a map. */
function contains(container: Val, x: Val): Maybe {
  if (container.t === "list") return bool(container.v.some((item) => equals(item, x)));
  return container.t === "map" ? bool(mapGet(container, x) !== undefined) : undefined;
}

/** The size of a string counts code points (§3.1). A hierarchy has a size only as `h.size()` (§3.2). */
function size(a: Val): Maybe {
  if (a.t === "string") return int(BigInt([...a.v].length));
  if (a.t === "list" || a.t === "map" || a.t === "bytes") return int(BigInt(a.v.length));
  return undefined;
}

const SETS = new Set(["hasIntersection", "has_intersection", "intersect", "except", "isSubset", "is_subset"]);
/** Methods of level 0.58. */
const CHECKS = new Set(["hasAll", "hasAny", "hasExactly", "hasOnly"]);

/** §3.2: elements are compared as by `==`. */
function setFunction(fn: string, a: Val, b: Val): Maybe {
  if (!SETS.has(fn) || a.t !== "list" || b.t !== "list") return undefined;
  const isIn = (items: readonly Val[]) => (x: Val) => items.some((item) => equals(item, x));
  switch (fn) {
    case "intersect": {
      // The elements of the shorter list, in its order (§3.2).
      const [short, long] = a.v.length > b.v.length ? [b.v, a.v] : [a.v, b.v];
      return list(short.filter(isIn(long)));
    }
    case "except":
      return list(a.v.filter((x) => !isIn(b.v)(x)));
    case "isSubset":
    case "is_subset":
      return bool(a.v.every(isIn(b.v)));
    default:
      return bool(a.v.some(isIn(b.v)));
  }
}

function check(fn: string, self: Val, other: Val): Maybe {
  if (self.t !== "list" || other.t !== "list") return undefined;
  const isSubset = (a: readonly Val[], b: readonly Val[]) => a.every((x) => b.some((y) => equals(x, y)));
  const [all, only] = [isSubset(other.v, self.v), isSubset(self.v, other.v)];
  if (fn === "hasAny") return bool(self.v.some((x) => other.v.some((y) => equals(x, y))));
  return bool((fn === "hasOnly" || all) && (fn === "hasAll" || only));
}

function typeName(a: Val): string {
  switch (a.t) {
    case "null":
      return "null_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "hierarchy":
      return "cerbos.lib.hierarchy";
    default:
      return a.t;
  }
}

function toBool(a: Val): Maybe {
  if (a.t === "bool") return a;
  if (a.t !== "string") return undefined;
  if (["1", "t", "T", "TRUE", "true", "True"].includes(a.v)) return bool(true);
  return ["0", "f", "F", "FALSE", "false", "False"].includes(a.v) ? bool(false) : error("type conversion error");
}

/** Doubles are truncated and must be inside ±2^63; strings must be integers (§3.3: `int("1.5")` errs). */
function toInt(a: Val): Maybe {
  if (a.t === "int") return a;
  if (a.t === "uint") return checkedInt(a.v);
  if (a.t === "double")
    return a.v > Number(INT_MIN) && a.v < Number(INT_MAX) ? int(BigInt(Math.trunc(a.v))) : error("integer overflow");
  if (a.t === "string")
    return /^[+-]?\d+$/.test(a.v) ? checkedInt(BigInt(a.v.replace("+", ""))) : error("type conversion error");
  if (a.t === "timestamp") return int(BigInt(Math.floor(Number(a.v) / 1e9)));
  return a.t === "duration" ? int(a.v) : undefined;
}

function toUint(a: Val): Maybe {
  if (a.t === "uint") return a;
  if (a.t === "int") return checkedUint(a.v);
  if (a.t === "double")
    return a.v >= 0 && a.v < 2 ** 64 ? checkedUint(BigInt(Math.trunc(a.v))) : error("unsigned integer overflow");
  if (a.t === "string") return /^\d+$/.test(a.v) ? checkedUint(BigInt(a.v)) : error("type conversion error");
  return undefined;
}

function toDouble(a: Val): Maybe {
  if (a.t === "double") return a;
  if (a.t === "int" || a.t === "uint") return double(Number(a.v));
  if (a.t !== "string") return undefined;
  if (/^[+-]?(inf|infinity)$/i.test(a.v)) return double(a.v.startsWith("-") ? -Infinity : Infinity);
  if (/^nan$/i.test(a.v)) return double(Number.NaN);
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(a.v) ? Number(a.v) : Number.NaN;
  return Number.isFinite(value) ? double(value) : error("type conversion error");
}

function toTimestamp(a: Val): Maybe {
  if (a.t === "timestamp") return a;
  if (a.t === "int") return timestampOf(a.v * 1_000_000_000n, 0); // §3.3: `timestamp(1700000000)` is valid
  if (a.t !== "string") return undefined;
  const instant = parseTimestamp(a.v);
  return instant === undefined
    ? error("invalid timestamp")
    : { t: "timestamp", v: instant.nanos, offset: instant.offset };
}

function toDuration(a: Val): Maybe {
  if (a.t === "duration") return a;
  if (a.t === "int") return durationOf(a.v);
  if (a.t !== "string") return undefined;
  const nanos = parseDuration(a.v);
  return nanos === undefined ? error("invalid duration") : durationOf(nanos);
}

function timestampOf(nanos: bigint, offset: number): Val {
  return inRange(nanos) ? { t: "timestamp", v: nanos, offset } : error("timestamp overflow");
}

function durationOf(nanos: bigint): Val {
  return nanos < INT_MIN || nanos > INT_MAX ? error("duration overflow") : { t: "duration", v: nanos };
}

/** The request's time. Reading the time errs if the request gives none. */
function clock(now: Date | undefined): Val {
  if (now === undefined || Number.isNaN(now.getTime())) return error("the time was not given");
  return { t: "timestamp", v: BigInt(now.getTime()) * 1_000_000n, offset: 0 };
}

function timeSince(a: Val, now: Date | undefined): Maybe {
  const time = clock(now);
  if (a.t !== "timestamp") return undefined;
  return time.t === "timestamp" ? durationOf(time.v - a.v) : time;
}

/** `t.getHours("-05:30")`. Named zones are not supported here. */
function inZone(fn: string, self: Val, zone: string): Maybe {
  if (zone === "UTC") return clockPart(fn, self, 0);
  const match = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (self.t !== "timestamp" || match === null) return error("unsupported time zone");
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return clockPart(fn, self, match[1] === "-" ? -minutes : minutes);
}

/** Parts of a timestamp's date, counted as CEL does (`offset` in minutes); or the whole units of a duration. */
function clockPart(fn: string, self: Val, offset: number): Maybe {
  if (self.t === "duration") return durationPart(fn, self.v);
  if (self.t !== "timestamp") return undefined;
  const date = calendar(self.v, offset);
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
  const parts: ReadonlyMap<string, number> = new Map([
    ["getFullYear", date.getUTCFullYear()],
    ["getMonth", date.getUTCMonth()], // January is 0
    ["getDate", date.getUTCDate()], // the first day is 1
    ["getDayOfMonth", date.getUTCDate() - 1], // the first day is 0
    ["getDayOfWeek", date.getUTCDay()], // Sunday is 0 (§3.3)
    ["getDayOfYear", dayOfYear],
    ["getHours", date.getUTCHours()],
    ["getMinutes", date.getUTCMinutes()],
    ["getSeconds", date.getUTCSeconds()],
    ["getMilliseconds", date.getUTCMilliseconds()],
  ]);
  const part = parts.get(fn);
  return part === undefined ? undefined : int(BigInt(part));
}

function durationPart(fn: string, nanos: bigint): Maybe {
  switch (fn) {
    case "getHours":
      return int(nanos / 3_600_000_000_000n);
    case "getMinutes":
      return int(nanos / 60_000_000_000n);
    case "getSeconds":
      return int(nanos / 1_000_000_000n);
    case "getMilliseconds":
      return int(nanos / 1_000_000n);
    default:
      return undefined;
  }
}

/** §3.2: a string is split at `.`; a list must contain strings. */
function toHierarchy(a: Val): Maybe {
  if (a.t === "hierarchy") return a;
  if (a.t === "string") return { t: "hierarchy", v: a.v.split(".") };
  if (a.t !== "list") return undefined;
  const parts = a.v.flatMap((part) => (part.t === "string" ? [part.v] : []));
  return parts.length === a.v.length ? { t: "hierarchy", v: parts } : error("not a list of strings");
}

function hierarchyMethod(fn: string, self: readonly string[], other: readonly string[]): Maybe {
  const prefix = (short: readonly string[], long: readonly string[]) => short.every((part, i) => part === long[i]);
  const above = (short: readonly string[], long: readonly string[]) =>
    short.length < long.length && prefix(short, long);
  switch (fn) {
    case "ancestorOf": // "strict prefix"
      return bool(above(self, other));
    case "descendentOf":
      return bool(above(other, self));
    case "immediateParentOf":
      return bool(above(self, other) && self.length + 1 === other.length);
    case "immediateChildOf":
      return bool(above(other, self) && other.length + 1 === self.length);
    case "siblingOf": // "same length and same parent; equal values are siblings"
      return bool(self.length === other.length && prefix(self.slice(0, -1), other));
    case "overlaps": // "one is prefix of other, equality included"
      return bool(prefix(self, other) || prefix(other, self));
    case "commonAncestors": {
      // "if equal length, drop last of both first"
      const [a, b] = self.length === other.length ? [self.slice(0, -1), other.slice(0, -1)] : [self, other];
      const end = a.findIndex((part, i) => part !== b[i]);
      return { t: "hierarchy", v: end < 0 ? a : a.slice(0, end) };
    }
    default:
      return undefined;
  }
}
