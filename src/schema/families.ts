/** The keywords that are looked at together: of a schema only those families are looked at that it has keywords of. */

import type { SchemaObject } from "./keywords.js";

/** A bit for each family. */
export const FAMILY = {
  value: 1,
  members: 2,
  items: 4,
  text: 8,
  number: 16,
  references: 32,
  alternatives: 64,
  unevaluated: 128,
} as const;

const KEYWORDS: readonly (readonly [family: number, keywords: readonly string[]])[] = [
  [FAMILY.value, ["const", "enum", "format"]],
  [FAMILY.members, ["properties", "additionalProperties", "patternProperties", "propertyNames"]],
  [FAMILY.members, ["required", "minProperties", "maxProperties"]],
  [FAMILY.members, ["dependencies", "dependentRequired", "dependentSchemas"]],
  [FAMILY.items, ["items", "additionalItems", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  [FAMILY.items, ["contains", "minContains", "maxContains"]],
  [FAMILY.text, ["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType", "contentSchema"]],
  [FAMILY.number, ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"]],
  [FAMILY.references, ["$ref", "$dynamicRef", "$recursiveRef"]],
  [FAMILY.alternatives, ["allOf", "anyOf", "oneOf", "not", "if"]],
  [FAMILY.unevaluated, ["unevaluatedItems", "unevaluatedProperties"]],
];

const FAMILY_OF: ReadonlyMap<string, number> = new Map(
  KEYWORDS.flatMap(([family, keywords]) => keywords.map((keyword) => [keyword, family] as const)),
);

/** The families that the keywords of a schema are of. */
export function familiesOf(schema: SchemaObject): number {
  let families = 0;
  for (const keyword of Object.keys(schema)) families |= FAMILY_OF.get(keyword) ?? 0;
  return families;
}
