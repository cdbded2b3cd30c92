/**
 * The possible values of an expression, as far as types and schemas tell: supersets of its actual values. So if two
 * sets are disjoint, no two values are equal.
 */

import type { JsonValue } from "../../cel/json.js";
import { isList as isJsonList, isObject } from "../../cel/json.js";
import type { CelType } from "../../cel/types.js";
import { type CelValue, Uint } from "../../cel/values.js";
import { declaredBy, type SchemaDeclaration, type SchemaJsonType } from "../../schema/declaration.js";

/** Kinds of values. The number types are separate, because arithmetic does not mix them. */
export type ValueKind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "int"
  | "list"
  | "map"
  | "null"
  | "other"
  | "string"
  | "timestamp"
  | "type"
  | "uint";

const KINDS: ReadonlySet<ValueKind> = new Set<ValueKind>([
  ...(["bool", "bytes", "double", "duration", "int", "list", "map"] as const),
  ...(["null", "other", "string", "timestamp", "type", "uint"] as const),
]);

type KnownScalar = string | number | boolean;

export interface PossibleValues {
  readonly kinds: ReadonlySet<ValueKind>;
  /** The only possible values, if they are known strings, numbers and booleans. */
  readonly values: readonly KnownScalar[] | undefined;
  /** The possible elements of a list. */
  readonly items: PossibleValues | undefined;
  /** The possible fields of an object with a schema. */
  readonly declared: SchemaDeclaration | undefined;
  /** The schema that this comes from. */
  readonly by: string | undefined;
}

export const ANYTHING: PossibleValues = {
  kinds: KINDS,
  values: undefined,
  items: undefined,
  declared: undefined,
  by: undefined,
};

export function ofKind(...kinds: readonly ValueKind[]): PossibleValues {
  return { ...ANYTHING, kinds: new Set(kinds) };
}

export const TRUTH = ofKind("bool");

export function listOf(items: PossibleValues): PossibleValues {
  return { ...ofKind("list"), items };
}

export function possibleTexts(values: readonly string[]): PossibleValues {
  return { ...ofKind("string"), values };
}

const BY_JSON: { readonly [T in SchemaJsonType]: ValueKind } = {
  array: "list",
  boolean: "bool",
  null: "null",
  number: "double",
  object: "map",
  string: "string",
};

/**
 * The possible valid values of a schema. An unsatisfiable schema restricts nothing here: that is another kind of
 * mistake.
 */
export function ofDeclared(declared: SchemaDeclaration, by: string | undefined, depth = 0): PossibleValues {
  const { types, values } = declared;
  if (types.size === 0) return ANYTHING;
  const kinds = new Set([...types].map((type) => BY_JSON[type]));
  const scalars = values?.filter((value) => isScalar(value));
  return {
    kinds,
    values: scalars !== undefined && scalars.length === values?.length ? scalars : undefined,
    items: kinds.has("list") && depth < 2 ? ofDeclared(declared.items, by, depth + 1) : undefined,
    declared,
    by,
  };
}

/** Request data without a schema: any JSON, with numbers as doubles. */
export const REQUEST_DATA: PossibleValues = {
  ...ofDeclared(declaredBy(new Map(), ""), undefined),
  kinds: new Set<ValueKind>(["map"]),
};

function isScalar(value: JsonValue): value is KnownScalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A constant of a policy: its numbers are doubles, like those of requests. */
export function ofJson(value: JsonValue): PossibleValues {
  if (value === null) return ofKind("null");
  if (typeof value === "string") return possibleTexts([value]);
  if (typeof value === "number") return { ...ofKind("double"), values: [value] };
  if (typeof value === "boolean") return { ...TRUTH, values: [value] };
  if (isJsonList(value)) return listOf(unionOfValues(value.map(ofJson)));
  return isObject(value) ? ofKind("map") : ANYTHING;
}

export function ofLiteral(value: CelValue): PossibleValues {
  if (value === null) return ofKind("null");
  if (typeof value === "string") return possibleTexts([value]);
  if (typeof value === "number") return { ...ofKind("double"), values: [value] };
  if (typeof value === "boolean") return { ...TRUTH, values: [value] };
  if (typeof value === "bigint") {
    const number = Number(value);
    return { ...ofKind("int"), values: Number.isSafeInteger(number) ? [number] : undefined };
  }
  if (value instanceof Uint) return ofKind("uint");
  return value instanceof Uint8Array ? ofKind("bytes") : ofKind("type");
}

/** The possible values of a static type. */
export function ofType({ kind, args }: CelType): PossibleValues {
  switch (kind) {
    case "dyn":
    case "param":
      return ANYTHING;
    case "list":
      return args[0] === undefined ? ofKind("list") : listOf(ofType(args[0]));
    case "opaque":
    case "message":
      return ofKind("other");
    default:
      return ofKind(kind);
  }
}

/** Can a value be passed to a parameter of this type? */
export function mayBe({ kinds }: PossibleValues, { kind }: CelType): boolean {
  if (kind === "dyn" || kind === "param") return true;
  return kinds.has(kind === "opaque" || kind === "message" ? "other" : kind);
}

/** The union of several sets. */
export function unionOfValues(all: readonly PossibleValues[]): PossibleValues {
  const [first, ...others] = all;
  if (first === undefined) return ANYTHING;
  if (others.length === 0) return first;
  const values = all.flatMap((one) => one.values ?? []);
  const items = all.flatMap((one) => one.items ?? []);
  return {
    kinds: new Set(all.flatMap(({ kinds }) => [...kinds])),
    values: all.every((one) => one.values !== undefined) ? values : undefined,
    items:
      items.length > 0 && all.every((one) => one.items !== undefined || !one.kinds.has("list"))
        ? unionOfValues(items)
        : undefined,
    declared: undefined,
    by: all.find(({ by }) => by !== undefined)?.by,
  };
}

/** Numbers are equal across their kinds. */
const NUMBERS: ReadonlySet<ValueKind> = new Set<ValueKind>(["double", "int", "uint"]);

function comparable(kind: ValueKind): ValueKind {
  return NUMBERS.has(kind) ? "double" : kind;
}

/** Why two values are never equal: their types differ, or their values; undefined if they may be equal. */
export function apart(a: PossibleValues, b: PossibleValues): "types" | "values" | undefined {
  if (a.kinds.has("other") || b.kinds.has("other")) return undefined;
  const kinds = new Set([...a.kinds].map(comparable));
  if (![...b.kinds].some((kind) => kinds.has(comparable(kind)))) return "types";
  if (a.values === undefined || b.values === undefined) return undefined;
  const { values } = b;
  return a.values.some((value) => values.includes(value)) ? undefined : "values";
}

const NOUNS: { readonly [K in ValueKind]: string } = {
  bool: "true or false",
  bytes: "bytes",
  double: "a number",
  duration: "a duration",
  int: "an int",
  list: "a list",
  map: "a mapping",
  null: "null",
  other: "a value of a library",
  string: "a text",
  timestamp: "a time",
  type: "a type",
  uint: "a uint",
};

/** `a text`, `a text or null`. */
export function kindsText({ kinds }: PossibleValues): string {
  if (Object.values(BY_JSON).every((kind) => kinds.has(kind))) return "a value of a request";
  const nouns = [...kinds].map((kind) => NOUNS[kind]);
  return nouns.length <= 1 ? (nouns[0] ?? "nothing") : `${nouns.slice(0, -1).join(", ")} or ${nouns.at(-1)}`;
}
