/** What a JSON Schema is, and which of its keywords hold schemas themselves, draft by draft. */

import { isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";

export type SchemaObject = JsonObject;
export type Schema = boolean | SchemaObject;

/** The drafts that are known: 7, 2019-09 and 2020-12. */
export type Draft = 7 | 2019 | 2020;

/** The draft that an address is of, such as the `$schema` of a schema; if of none, the latest. */
export function draftOf(address: string): Draft {
  if (address.includes("draft-07")) return 7;
  return address.includes("2019-09") ? 2019 : 2020;
}

/** Keywords that hold a schema, or a list of them. */
const SCHEMAS = [
  ...["additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items"],
  ...["not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"],
];

/** Those of them whose schemas are for the value itself, not for a part of it. */
const IN_PLACE = ["allOf", "anyOf", "else", "if", "not", "oneOf", "then"];
const IN_PLACE_MAPS = ["dependencies", "dependentSchemas"];

/** Keywords that hold schemas by name. */
const APPLIED_MAPS = ["dependencies", "dependentSchemas", "patternProperties", "properties"];
const MAPS = ["$defs", "definitions", ...APPLIED_MAPS];

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** The drafts that brought keywords. */
const SINCE: ReadonlyMap<string, Draft> = new Map([
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

/** The schemas in a schema that hold for its value or for parts of it: not its definitions. */
export function appliedBy(schema: SchemaObject, draft: Draft): readonly Schema[] {
  return isReferenceAlone(schema, draft) ? [] : schemasAt(schema, SCHEMAS, APPLIED_MAPS, draft);
}

/** Those of them that hold for the value itself. */
export function appliedInPlaceBy(schema: SchemaObject, draft: Draft): readonly Schema[] {
  return isReferenceAlone(schema, draft) ? [] : schemasAt(schema, IN_PLACE, IN_PLACE_MAPS, draft);
}

/** Every schema directly in a schema, its definitions included, whichever draft its keywords are of. */
export function schemasIn(schema: SchemaObject): readonly Schema[] {
  return schemasAt(schema, SCHEMAS, MAPS, undefined);
}

/** Until draft 7, what stands beside a `$ref` says nothing. */
export function isReferenceAlone(schema: SchemaObject, draft: Draft): boolean {
  return draft < 2019 && Object.hasOwn(schema, "$ref");
}

/** The schemas that these keywords hold, each one or a list of them, or by name; with a draft, those that it reads. */
function schemasAt(
  schema: SchemaObject,
  keywords: readonly string[],
  maps: readonly string[],
  draft: Draft | undefined,
): readonly Schema[] {
  const values: (JsonValue | undefined)[] = [];
  const isRead = (keyword: string) =>
    draft === undefined ||
    ((SINCE.get(keyword) ?? 0) <= draft && ((keyword !== "then" && keyword !== "else") || Object.hasOwn(schema, "if")));
  for (const keyword of keywords) if (isRead(keyword)) values.push(own(schema, keyword));
  for (const keyword of maps) {
    const map = isRead(keyword) ? own(schema, keyword) : undefined;
    if (isObject(map)) values.push(...Object.values(map));
  }
  const schemas: Schema[] = [];
  for (const value of values) {
    if (isList(value)) schemas.push(...value.filter((item) => isSchema(item)));
    else if (isSchema(value)) schemas.push(value);
  }
  return schemas;
}

/** The types that a schema names; none if it has values of any. */
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

/** The list that a keyword holds; empty if it holds none. */
export function listOf(schema: SchemaObject, keyword: string): readonly JsonValue[] {
  const value = own(schema, keyword);
  return isList(value) ? value : [];
}

export function integerOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = own(schema, keyword);
  return typeof value === "number" ? Math.trunc(value) : undefined;
}

/** An own property: nothing inherited is a keyword. */
export function own(schema: SchemaObject, keyword: string): JsonValue | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

export function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === "boolean" || isObject(value);
}
