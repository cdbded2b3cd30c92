/**
 * Families of keywords that are evaluated together. A validation skips the families that a schema does not use.
 * Keywords without an effect of their own (`minContains`) are not listed.
 */

import type { SchemaObject } from "./keywords.js";

const KEYWORDS = {
  value: ["const", "enum", "format"],
  members: [
    ...["properties", "additionalProperties", "patternProperties", "propertyNames", "required", "minProperties"],
    ...["maxProperties", "dependencies", "dependentRequired", "dependentSchemas"],
  ],
  items: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"],
  text: ["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"],
  number: ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"],
  references: ["$ref", "$dynamicRef", "$recursiveRef"],
  alternatives: ["allOf", "anyOf", "oneOf", "not", "if"],
  unevaluated: ["unevaluatedItems", "unevaluatedProperties"],
} as const;

type Family = keyof typeof KEYWORDS;

/** Which families a schema has keywords of. */
export type KeywordFamilies = { readonly [F in Family]: boolean };

export function keywordFamiliesOf(schema: SchemaObject): KeywordFamilies {
  const has = (family: Family) => KEYWORDS[family].some((keyword) => Object.hasOwn(schema, keyword));
  return {
    value: has("value"),
    members: has("members"),
    items: has("items"),
    text: has("text"),
    number: has("number"),
    references: has("references"),
    alternatives: has("alternatives"),
    unevaluated: has("unevaluated"),
  };
}
