/** The keywords of JSON Schema and the schemas that they hold, draft by draft. */

import { isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";

export type SchemaObject = JsonObject;
export type Schema = boolean | SchemaObject;

/** The supported drafts: 7, 2019-09 and 2020-12. */
export type SchemaDraft = 7 | 2019 | 2020;

/** The draft of schemas that name none. */
export const LATEST: SchemaDraft = 2020;

/** The draft of an address, such as the `$schema` of a schema; the latest if it names none. */
export function draftOf(address: string): SchemaDraft {
  if (address.includes("draft-07")) return 7;
  return address.includes("2019-09") ? 2019 : LATEST;
}

/** How keywords apply the schemas that they hold. These are bits: a keyword can have several. */
const HOLDS = {
  /** The schemas apply to the value, or to a part of it. */
  applied: 1,
  /** The schemas apply to the value itself. */
  inPlace: 2,
  /** The schemas are definitions, for references only. */
  defined: 4,
  /** The keyword holds a map of schemas by name, not one schema or a list. */
  named: 8,
} as const;

const HELD: readonly (readonly [holds: number, keywords: readonly string[]])[] = [
  [HOLDS.applied, ["additionalItems", "additionalProperties", "contains", "contentSchema", "items", "prefixItems"]],
  [HOLDS.applied, ["propertyNames", "unevaluatedItems", "unevaluatedProperties"]],
  [HOLDS.applied | HOLDS.inPlace, ["allOf", "anyOf", "else", "if", "not", "oneOf", "then"]],
  [HOLDS.applied | HOLDS.inPlace | HOLDS.named, ["dependencies", "dependentSchemas"]],
  [HOLDS.applied | HOLDS.named, ["patternProperties", "properties"]],
  [HOLDS.defined | HOLDS.named, ["$defs", "definitions"]],
];

const HOLDS_OF: ReadonlyMap<string, number> = new Map(
  HELD.flatMap(([holds, keywords]) => keywords.map((keyword) => [keyword, holds] as const)),
);

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** The draft that introduced each keyword; the others are older. */
const SINCE: ReadonlyMap<string, SchemaDraft> = new Map([
  ["contentSchema", 2019],
  ["dependentSchemas", 2019],
  ["prefixItems", 2020],
  ["unevaluatedItems", 2019],
  ["unevaluatedProperties", 2019],
]);

/** The references that a schema applies. */
export function referencesOf(schema: SchemaObject): readonly string[] {
  return REFERENCES.flatMap((keyword) => {
    const reference = own(schema, keyword);
    return typeof reference === "string" ? [reference] : [];
  });
}

/** The schemas in a schema that apply to its value or to parts of it: not its definitions. */
export function appliedBy(schema: SchemaObject, draft: SchemaDraft): readonly Schema[] {
  return isReferenceAlone(schema, draft) ? [] : schemasAt(schema, HOLDS.applied, draft);
}

/** The schemas in a schema that apply to its value itself. */
export function appliedInPlaceBy(schema: SchemaObject, draft: SchemaDraft): readonly Schema[] {
  return isReferenceAlone(schema, draft) ? [] : schemasAt(schema, HOLDS.inPlace, draft);
}

/** Every schema directly in a schema, its definitions included, by the keywords of all drafts. */
export function schemasIn(schema: SchemaObject): readonly Schema[] {
  return schemasAt(schema, HOLDS.applied | HOLDS.defined, undefined);
}

/** Until draft 7, keywords beside a `$ref` are ignored. */
export function isReferenceAlone(schema: SchemaObject, draft: SchemaDraft): boolean {
  return draft < 2019 && Object.hasOwn(schema, "$ref");
}

/** The schemas in keywords with one of the bits `holds`. With a draft, only in keywords that the draft has. */
function schemasAt(schema: SchemaObject, holds: number, draft: SchemaDraft | undefined): readonly Schema[] {
  const schemas: Schema[] = [];
  for (const keyword of Object.keys(schema)) {
    const held = HOLDS_OF.get(keyword) ?? 0;
    if ((held & holds) === 0 || (draft !== undefined && !isRead(keyword, schema, draft))) continue;
    const value = schema[keyword];
    if ((held & HOLDS.named) === 0) addSchemas(value, schemas);
    else for (const each of Object.values(value ?? {})) addSchemas(each, schemas);
  }
  return schemas;
}

function isRead(keyword: string, schema: SchemaObject, draft: SchemaDraft): boolean {
  if (keyword === "then" || keyword === "else") return Object.hasOwn(schema, "if");
  return (SINCE.get(keyword) ?? draft) <= draft;
}

function addSchemas(value: JsonValue | undefined, schemas: Schema[]): void {
  if (isSchema(value)) schemas.push(value);
  else if (isList(value)) for (const item of value) if (isSchema(item)) schemas.push(item);
}

/** The types that a schema names; empty if it allows values of any type. */
export function typesOf(schema: SchemaObject): readonly string[] {
  const type = own(schema, "type");
  return (isList(type) ? type : [type]).filter((each) => typeof each === "string");
}

/** The values that a schema lists as the only ones; undefined if it lists none. */
export function valuesOf(schema: SchemaObject): readonly JsonValue[] | undefined {
  const constant = own(schema, "const");
  if (constant !== undefined) return [constant];
  const values = own(schema, "enum");
  return isList(values) ? values : undefined;
}

/** The list that a keyword holds; empty if it does not hold one. */
export function listOf(schema: SchemaObject, keyword: string): readonly JsonValue[] {
  const value = own(schema, keyword);
  return isList(value) ? value : [];
}

export function integerOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = own(schema, keyword);
  return typeof value === "number" ? Math.trunc(value) : undefined;
}

/** An own property: nothing inherited counts as a keyword. */
export function own(schema: SchemaObject, keyword: string): JsonValue | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

export function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === "boolean" || isObject(value);
}
