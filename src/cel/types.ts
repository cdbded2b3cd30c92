/**
 * CEL's types, for declarations of functions: each can recognise its values at run time, and has the structure that
 * static checking needs.
 */

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
  TypeValue,
  Uint,
} from "./values.js";

export type TypeKind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "timestamp"
  | "duration"
  | "type"
  | "dyn"
  | "list"
  | "map"
  | "param"
  | "opaque"
  | "message";

/**
 * A type. `T` is the JavaScript type of its values. `name` is CEL's spelling (`google.protobuf.Timestamp`, `list`, …; a
 * parameter's or message's own name). `args` are the element type of a list, the key and value types of a map, the
 * value type of an optional.
 */
export interface CelType<T extends CelValue = CelValue> {
  readonly kind: TypeKind;
  readonly name: string;
  readonly args: readonly CelType[];
  /** Whether a run-time value is of this type. Elements of lists and maps are not tested. */
  is(value: CelValue): value is T;
}

function type<T extends CelValue>(
  kind: TypeKind,
  name: string,
  is: (value: CelValue) => value is T,
  args: readonly CelType[] = [],
): CelType<T> {
  return { kind, name, args, is };
}

export const BOOL = type("bool", "bool", (v): v is boolean => typeof v === "boolean");
export const INT = type("int", "int", (v): v is bigint => typeof v === "bigint");
export const UINT = type("uint", "uint", (v): v is Uint => v instanceof Uint);
export const DOUBLE = type("double", "double", (v): v is number => typeof v === "number");
export const STRING = type("string", "string", (v): v is string => typeof v === "string");
export const BYTES = type("bytes", "bytes", (v): v is Uint8Array => v instanceof Uint8Array);
export const NULL = type("null", "null_type", (v): v is null => v === null);
export const TIMESTAMP = type("timestamp", "google.protobuf.Timestamp", (v): v is Timestamp => v instanceof Timestamp);
export const DURATION = type("duration", "google.protobuf.Duration", (v): v is Duration => v instanceof Duration);
export const TYPE = type("type", "type", (v): v is TypeValue => v instanceof TypeValue);
export const DYN = type("dyn", "dyn", (_v): _v is CelValue => true);

/** `list(element)`. */
export function list(element: CelType): CelType<CelList> {
  return type("list", "list", isList, [element]);
}

/** `map(key, value)`. */
export function map(key: CelType, value: CelType): CelType<CelMap> {
  return type("map", "map", isMap, [key, value]);
}

/** A type parameter: any type, but the same one wherever the name recurs in a signature. */
export function param(name: string): CelType<CelValue> {
  return type("param", name, (_v): _v is CelValue => true);
}

/** A library type (`cerbos.lib.hierarchy`), recognised by its class. */
export function opaque<T extends CelValue>(name: string, is: (value: CelValue) => value is T): CelType<T> {
  return type("opaque", name, is);
}

/** `optional_type(value)`. */
export function optional(value: CelType): CelType<OptionalValue> {
  return type("opaque", OPTIONAL, (v): v is OptionalValue => v instanceof OptionalValue, [value]);
}

const OPTIONAL = "optional_type";

/** The value type of an optional type; undefined for other types. */
export function optionalArgument({ kind, name, args }: CelType): CelType | undefined {
  return kind === "opaque" && name === OPTIONAL ? args[0] : undefined;
}

/** A message of Cerbos's request, recognised by its name. */
export function messageType(name: string): CelType<Opaque> {
  return type("message", name, (v): v is Opaque => v instanceof Opaque && v.typeName === name);
}
