/** Records of CSV and of queries, as the values that JSON files have: their texts are typed by the schemas. */

import { KIND, type TypeDeclaration } from "../../cel/type-declaration.js";
import { type JsonText, parseJson } from "../json-values.js";

/** A value by the name of its column. */
export type SourceRecord = readonly (readonly [column: string, value: unknown])[];

export interface ColumnTypes {
  /** The columns that are fields of an entry, such as `id`. All others are attributes. */
  readonly fields: readonly string[];
  /** The declared type of an attribute; undefined: none. `field`: the field of the record with the name. */
  attribute(path: readonly string[], field: (name: string) => unknown): TypeDeclaration | undefined;
  /** Is an attribute required, and may it be null? */
  isNullable(path: readonly string[], field: (name: string) => unknown): boolean;
}

/**
 * The entry of a record. A column is a field (`id`, `roles`, …), `attr` with all attributes as JSON, or an attribute:
 * `plan`, `limits.keys` for a value inside it, and `attr.id` for one that is named as a field is.
 */
export function valueOfRecord(record: SourceRecord, types: ColumnTypes): JsonText {
  const { fields } = types;
  const entry: { [name: string]: unknown } = {};
  const attr: AttributeTree = {};
  const field = (name: string) => record.find(([column]) => column === name)?.[1];
  for (const [column, value] of record) {
    if (fields.includes(column)) {
      const read = typedValue(value, FIELD_TYPES.get(column));
      if (read !== undefined) entry[column] = read;
    } else if (column === "attr") {
      const all = typedValue(value, OBJECT);
      if (all === undefined) continue;
      if (!isTree(all))
        return { ok: false, path: "attr", message: "the column attr must be a JSON object with unique keys" };
      Object.assign(attr, all);
    } else {
      const path = column.replace(/^attr\./, "").split(".");
      const read =
        typedValue(value, types.attribute(path, field)) ?? (types.isNullable(path, field) ? null : undefined);
      if (read !== undefined && !put(attr, path, read)) {
        return { ok: false, path: column, message: `the column ${column} is inside a value that is not an object` };
      }
    }
  }
  return { ok: true, value: { ...entry, attr } };
}

const ANY_TEXT: TypeDeclaration = {
  ...{ kinds: KIND.string, scalars: undefined, listed: [], isListed: undefined, items: undefined },
  ...{ names: new Set(), nullable: new Set(), member: () => undefined, hasParts: false, words: "string" },
};
const ROLES: TypeDeclaration = { ...ANY_TEXT, kinds: KIND.array, items: ANY_TEXT, words: "array" };
const OBJECT: TypeDeclaration = { ...ANY_TEXT, kinds: KIND.object, words: "object" };

/** The types of fields. All others are texts. */
const FIELD_TYPES: ReadonlyMap<string, TypeDeclaration> = new Map([
  ["roles", ROLES],
  ["revoked", { ...ANY_TEXT, kinds: KIND.boolean, words: "boolean" }],
]);

interface AttributeTree {
  [name: string]: unknown;
}

function isTree(value: unknown): value is AttributeTree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a value inside of maps. False: something that is not a map is in the way. */
function put(tree: AttributeTree, path: readonly string[], value: unknown): boolean {
  let at = tree;
  for (const name of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, name) ? at[name] : {};
    if (!isTree(inner)) return false;
    define(at, name, inner);
    at = inner;
  }
  const name = path.at(-1) ?? "";
  // A column with the whole map, and one with a value in it, add up.
  const there = Object.hasOwn(at, name) ? at[name] : undefined;
  if (isTree(there) && isTree(value)) for (const [key, inner] of Object.entries(value)) define(there, key, inner);
  else define(at, name, value);
  return true;
}

/** Assignment to `__proto__` would set a prototype. */
function define(tree: AttributeTree, name: string, value: unknown): void {
  Object.defineProperty(tree, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The value of a cell. Undefined: it is empty. A text of a declared type other than `string` is read as that type. If
 * that is impossible it stays a text, which the schema then refuses.
 */
export function typedValue(value: unknown, declared: TypeDeclaration | undefined): unknown {
  if (value === null || value === undefined || value === "") return undefined;
  if (typeof value !== "string") return value;
  if (declared === undefined || (declared.kinds & KIND.string) !== 0) return value;
  const { kinds } = declared;
  const has = (...all: readonly number[]) => all.some((kind) => (kinds & kind) !== 0);
  const text = value.trim();
  if (has(KIND.boolean) && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (has(KIND.number, KIND.integer) && NUMBER.test(text)) return Number(text);
  if (has(KIND.null) && text === "null") return null;
  if (has(KIND.array) && !text.startsWith("[")) {
    return text.split(";").map((item) => typedValue(item.trim(), declared.items) ?? "");
  }
  const json = has(KIND.array, KIND.object) ? parseJson(text) : undefined;
  return json?.ok === true ? (json.value ?? value) : value;
}

/** A number as JSON has it. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
