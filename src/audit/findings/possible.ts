/**
 * What values an expression can have, as far as types and schemas say: sets that hold every value that it can come to.
 * So where two sets have nothing in common, no two values are equal.
 */

import type { JsonValue } from "../../cel/json.js";
import { isList as isJsonList, isObject } from "../../cel/json.js";
import type { CelType } from "../../cel/types.js";
import { type CelValue, Uint } from "../../cel/values.js";
import { declaredBy, type SchemaDeclaration, type SchemaJsonType } from "../../schema/declaration.js";

/** Kinds of values. Numbers are apart, for arithmetic does not mix them. */
export type Kind =
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

const KINDS: ReadonlySet<Kind> = new Set<Kind>([
  ...(["bool", "bytes", "double", "duration", "int", "list", "map"] as const),
  ...(["null", "other", "string", "timestamp", "type", "uint"] as const),
]);

type Scalar = string | number | boolean;

export interface Possible {
  readonly kinds: ReadonlySet<Kind>;
  /** The only values, if they are texts, numbers and truths that are known. */
  readonly values: readonly Scalar[] | undefined;
  /** Of the elements, if it is a list. */
  readonly items: Possible | undefined;
  /** If it is an object with a schema: what its fields can be. */
  readonly declared: SchemaDeclaration | undefined;
  /** The schema that says so. */
  readonly by: string | undefined;
}

export const ANYTHING: Possible = {
  kinds: KINDS,
  values: undefined,
  items: undefined,
  declared: undefined,
  by: undefined,
};

export function ofKind(...kinds: readonly Kind[]): Possible {
  return { ...ANYTHING, kinds: new Set(kinds) };
}

export const TRUTH = ofKind("bool");

export function listOf(items: Possible): Possible {
  return { ...ofKind("list"), items };
}

export function textOf(values: readonly string[]): Possible {
  return { ...ofKind("string"), values };
}

const BY_JSON: { readonly [T in SchemaJsonType]: Kind } = {
  array: "list",
  boolean: "bool",
  null: "null",
  number: "double",
  object: "map",
  string: "string",
};

/** What a valid value of a schema can be. No value at all says nothing: the schema is a mistake of another sort. */
export function ofDeclared(declared: SchemaDeclaration, by: string | undefined, depth = 0): Possible {
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

/** What a request brings and no schema describes: it is JSON, whose numbers are doubles. */
export const REQUEST_DATA: Possible = {
  ...ofDeclared(declaredBy(new Map(), ""), undefined),
  kinds: new Set<Kind>(["map"]),
};

function isScalar(value: JsonValue): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A constant of a policy: its numbers are doubles, as those of requests. */
export function ofJson(value: JsonValue): Possible {
  if (value === null) return ofKind("null");
  if (typeof value === "string") return textOf([value]);
  if (typeof value === "number") return { ...ofKind("double"), values: [value] };
  if (typeof value === "boolean") return { ...TRUTH, values: [value] };
  if (isJsonList(value)) return listOf(joined(value.map(ofJson)));
  return isObject(value) ? ofKind("map") : ANYTHING;
}

export function ofLiteral(value: CelValue): Possible {
  if (value === null) return ofKind("null");
  if (typeof value === "string") return textOf([value]);
  if (typeof value === "number") return { ...ofKind("double"), values: [value] };
  if (typeof value === "boolean") return { ...TRUTH, values: [value] };
  if (typeof value === "bigint") {
    const number = Number(value);
    return { ...ofKind("int"), values: Number.isSafeInteger(number) ? [number] : undefined };
  }
  if (value instanceof Uint) return ofKind("uint");
  return value instanceof Uint8Array ? ofKind("bytes") : ofKind("type");
}

/** What a value of a static type can be. */
export function ofType({ kind, args }: CelType): Possible {
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

/** Whether a value can be what a parameter of this type takes. */
export function mayBe({ kinds }: Possible, { kind }: CelType): boolean {
  if (kind === "dyn" || kind === "param") return true;
  return kinds.has(kind === "opaque" || kind === "message" ? "other" : kind);
}

/** One of them. */
export function joined(all: readonly Possible[]): Possible {
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
        ? joined(items)
        : undefined,
    declared: undefined,
    by: all.find(({ by }) => by !== undefined)?.by,
  };
}

/** Numbers are equal across their kinds. */
const NUMBERS: ReadonlySet<Kind> = new Set<Kind>(["double", "int", "uint"]);

function comparable(kind: Kind): Kind {
  return NUMBERS.has(kind) ? "double" : kind;
}

/** Why two values are never equal: their types, or that the values are others; undefined if they may be. */
export function apart(a: Possible, b: Possible): "types" | "values" | undefined {
  if (a.kinds.has("other") || b.kinds.has("other")) return undefined;
  const kinds = new Set([...a.kinds].map(comparable));
  if (![...b.kinds].some((kind) => kinds.has(comparable(kind)))) return "types";
  if (a.values === undefined || b.values === undefined) return undefined;
  const { values } = b;
  return a.values.some((value) => values.includes(value)) ? undefined : "values";
}

const NOUNS: { readonly [K in Kind]: string } = {
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
export function kindsText({ kinds }: Possible): string {
  if (Object.values(BY_JSON).every((kind) => kinds.has(kind))) return "a value of a request";
  const nouns = [...kinds].map((kind) => NOUNS[kind]);
  return nouns.length <= 1 ? (nouns[0] ?? "nothing") : `${nouns.slice(0, -1).join(", ")} or ${nouns.at(-1)}`;
}
