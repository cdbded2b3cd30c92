/**
 * Values of the naive evaluator: one tagged object for each CEL value, so that rules about types can be read off the
 * tags. Slow, and deliberately unlike `src/cel/values.ts`. Section numbers refer to docs/cerbos-semantics.md.
 */

import type { JsonValue } from "../../src/cel/json.js";
import { durationText, timestampText } from "./time.js";

export type Val =
  | { readonly t: "null" }
  | { readonly t: "bool"; readonly v: boolean }
  | { readonly t: "int"; readonly v: bigint }
  | { readonly t: "uint"; readonly v: bigint }
  | { readonly t: "double"; readonly v: number }
  | { readonly t: "string"; readonly v: string }
  | { readonly t: "bytes"; readonly v: Uint8Array }
  /** `misfit`: a nested value, at any depth, violates its declaration (see `typed.ts`). */
  | { readonly t: "list"; readonly v: readonly Val[]; readonly misfit?: boolean }
  | { readonly t: "map"; readonly v: readonly (readonly [Val, Val])[]; readonly misfit?: boolean }
  /** Nanoseconds since 1970, and the written offset in minutes east of UTC. */
  | { readonly t: "timestamp"; readonly v: bigint; readonly offset: number }
  /** Nanoseconds. */
  | { readonly t: "duration"; readonly v: bigint }
  | { readonly t: "type"; readonly v: string }
  | { readonly t: "hierarchy"; readonly v: readonly string[] }
  /** `request`, `P`, `R` …: named fields that always exist. */
  | { readonly t: "message"; readonly v: ReadonlyMap<string, Val> }
  /** `V`, `C`, `G`: named fields, evaluated when read. Without `has`, a field is present if reading it gives no error. */
  | {
      readonly t: "lookup";
      readonly read: (name: string) => Val | undefined;
      readonly has?: (name: string) => boolean;
    }
  | { readonly t: "error"; readonly msg: string };

export const NULL: Val = { t: "null" };
export const TRUE: Val = { t: "bool", v: true };
export const FALSE: Val = { t: "bool", v: false };
export const NO_OVERLOAD: Val = { t: "error", msg: "no such overload" };

export const bool = (v: boolean): Val => (v ? TRUE : FALSE);
export const int = (v: bigint): Val => ({ t: "int", v });
export const uint = (v: bigint): Val => ({ t: "uint", v });
export const double = (v: number): Val => ({ t: "double", v });
export const string = (v: string): Val => ({ t: "string", v });
export const list = (v: readonly Val[]): Val => ({ t: "list", v });
export const error = (msg: string): Val => ({ t: "error", msg });

export const INT_MIN = -(2n ** 63n);
export const INT_MAX = 2n ** 63n - 1n;
export const UINT_MAX = 2n ** 64n - 1n;

/** An int if `v` fits 64 bits, else an error (§3.3). */
export const checkedInt = (v: bigint): Val => (v < INT_MIN || v > INT_MAX ? error("integer overflow") : int(v));
export const checkedUint = (v: bigint): Val => (v < 0n || v > UINT_MAX ? error("unsigned integer overflow") : uint(v));

/** §3.3: attributes are protobuf values, so every number is a double. */
export function fromJson(value: unknown): Val {
  if (value === null) return NULL;
  if (typeof value === "boolean") return bool(value);
  if (typeof value === "number") return double(value);
  if (typeof value === "string") return string(value);
  if (Array.isArray(value)) return list(value.map(fromJson));
  if (typeof value === "object") return mapFromJson(value);
  return error("not a JSON value");
}

export function mapFromJson(value: object): Val {
  const entries = Object.entries(value).filter(([, v]) => v !== undefined);
  return { t: "map", v: entries.map(([k, v]) => [string(k), fromJson(v)] as const) };
}

/** The value of an output (§2.12). Undefined if the value has no JSON form. */
export function toJson(val: Val): JsonValue | undefined {
  switch (val.t) {
    case "null":
      return null;
    case "bool":
    case "string":
      return val.v;
    case "double":
      return Number.isFinite(val.v) ? val.v : undefined;
    case "int":
    case "uint":
      // "int/uint beyond ±2^53 → JSON string"
      return Number.isSafeInteger(Number(val.v)) ? Number(val.v) : String(val.v);
    case "bytes":
      return Buffer.from(val.v).toString("base64");
    case "timestamp":
    case "duration":
      return text(val);
    case "list": {
      const items = val.v.map(toJson);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "map": {
      const object: { [key: string]: JsonValue } = Object.create(null);
      for (const [k, v] of val.v) {
        const item = toJson(v);
        if (k.t !== "string" || item === undefined) return undefined;
        object[k.v] = item;
      }
      return { ...object };
    }
    default:
      return undefined;
  }
}

/**
 * `==`. Values of different types are unequal, not an error (§3.3); numbers of different types compare by value. The
 * operands are not errors.
 */
export function equals(a: Val, b: Val): boolean {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (a.t !== b.t) return false;
  switch (a.t) {
    case "null":
      return true;
    case "bool":
    case "string":
    case "type":
      return a.v === (b as typeof a).v;
    case "timestamp":
    case "duration":
      return a.v === (b as typeof a).v;
    case "bytes":
      return Buffer.from(a.v).equals((b as typeof a).v);
    case "hierarchy": {
      const other = (b as typeof a).v;
      return a.v.length === other.length && a.v.every((part, i) => part === other[i]);
    }
    case "list": {
      const other = (b as typeof a).v;
      return a.v.length === other.length && a.v.every((item, i) => equals(item, other[i] ?? NO_OVERLOAD));
    }
    case "map": {
      const other = (b as typeof a).v;
      if (a.v.length !== other.length) return false;
      return a.v.every(([k, v]) => {
        const found = mapGet(b as typeof a, k);
        return found !== undefined && equals(v, found);
      });
    }
    default:
      return false;
  }
}

/** `<`, `<=`, `>`, `>=`: negative, 0 or positive; undefined for values without an order, which is an error (§3.3). */
export function compare(a: Val, b: Val): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (a.t !== b.t) return undefined;
  switch (a.t) {
    case "bool":
      return Number(a.v) - Number((b as typeof a).v);
    case "string":
      return compareStrings(a.v, (b as typeof a).v);
    case "bytes":
      return Buffer.compare(a.v, (b as typeof a).v);
    case "timestamp":
    case "duration":
      return sign(a.v, (b as typeof a).v);
    default:
      return undefined;
  }
}

/** Strings are UTF-8, ordered by code point. JavaScript orders by UTF-16 unit. */
function compareStrings(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}

type Num = Extract<Val, { t: "int" | "uint" | "double" }>;

function isNumber(val: Val): val is Num {
  return val.t === "int" || val.t === "uint" || val.t === "double";
}

/**
 * Compares numbers of any types. For a comparison with a double, an integer is converted to a double, which loses
 * digits above 2^53. An attribute written 9007199254740993 arrives as 9007199254740992, and equals both (§3.3).
 */
function compareNumbers(a: Num, b: Num): number | undefined {
  if (a.t !== "double" && b.t !== "double") return sign(a.v, b.v);
  const x = Number(a.v);
  const y = Number(b.v);
  if (Number.isNaN(x) || Number.isNaN(y)) return undefined;
  return x < y ? -1 : x > y ? 1 : 0;
}

function sign(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function mapGet(map: Extract<Val, { t: "map" }>, key: Val): Val | undefined {
  return map.v.find(([k]) => equals(k, key))?.[1];
}

/** `string(x)`; undefined if this conversion does not exist. */
export function text(val: Val): string | undefined {
  switch (val.t) {
    case "string":
      return val.v;
    case "bool":
    case "int":
    case "uint":
      return String(val.v);
    case "double":
      return doubleText(val.v);
    case "bytes":
      return Buffer.from(val.v).toString("utf8");
    case "timestamp":
      return timestampText(val.v, val.offset);
    case "duration":
      return durationText(val.v);
    default:
      return undefined;
  }
}

/**
 * Go's `%g` with the fewest digits that parse to the same number. It has an exponent, of at least two digits, if that
 * is below -4 or above 5 (§3.3). `String` differs.
 */
export function doubleText(v: number): string {
  if (Number.isNaN(v)) return "NaN";
  if (!Number.isFinite(v)) return v > 0 ? "+Inf" : "-Inf";
  if (Object.is(v, -0)) return "-0";
  if (v === 0) return "0";
  const [mantissa = "", exponentText = "0"] = v.toExponential().split("e");
  const exponent = Number(exponentText);
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < -4 || exponent >= 6) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  return plainText(v < 0 ? "-" : "", digits, exponent);
}

function plainText(minus: string, digits: string, exponent: number): string {
  if (exponent < 0) return `${minus}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return minus + digits.padEnd(exponent + 1, "0");
  return `${minus}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}
