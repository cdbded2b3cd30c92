/**
 * Whether schemas are JSON Schemas: drafts 2020-12 (where a schema does not say), 2019-09 and 07, formats asserted.
 * Patterns are RE2's, as they are for the server: a schema cannot make matching take exponential time.
 */

import { isObject, type JsonValue } from "../cel/json.js";
import type { Validator } from "./ajv.js";
import * as draft7 from "./generated/draft7.js";
import * as draft2019 from "./generated/draft2019.js";
import * as draft2020 from "./generated/draft2020.js";
import { type Draft, draftOf } from "./keywords.js";

interface MetaSchema {
  readonly validate: Validator;
  /** The schema of schemas and its parts, by address. */
  readonly documents: ReadonlyMap<string, JsonValue>;
}

/** What JSON Schema itself says of schemas, draft by draft. */
const META_SCHEMAS: { readonly [D in Draft]: MetaSchema } = {
  7: metaSchema(draft7),
  2019: metaSchema(draft2019),
  2020: metaSchema(draft2020),
};

/** What makes `schema` no JSON Schema of its draft; undefined if it is one. */
export function faultOf(schema: JsonValue): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return "a schema is an object or a boolean";
  const { $schema } = schema;
  const { validate, documents } = META_SCHEMAS[draftOf(typeof $schema === "string" ? $schema : "")];
  if (typeof $schema === "string" && !isOneOf($schema, documents)) return `there is no draft ${$schema}`;
  try {
    if (validate(schema)) return undefined;
  } catch (error) {
    // Values of an `enum` are compared by what they have for a `valueOf`, which can be anything.
    return error instanceof Error ? error.message : "it cannot be checked";
  }
  const errors = validate.errors ?? [];
  const pattern = errors.find(({ keyword, params }) => keyword === "format" && params.format === "regex");
  if (pattern !== undefined) return `${JSON.stringify(pattern.data)} is not a regular expression of RE2`;
  return errors.map(({ instancePath, message }) => `schema${instancePath} ${message}`).join(", ");
}

/** The schema of schemas, or of a part of their vocabulary, at an address; undefined if there is none. */
export function metaSchemaAt(uri: string): JsonValue | undefined {
  return /^https?:\/\/json-schema\.org\//.test(uri) ? META_SCHEMAS[draftOf(uri)].documents.get(uri) : undefined;
}

function metaSchema({ validate, documents }: typeof draft7): MetaSchema {
  return { validate, documents: new Map(documents.map((document) => [withoutHash(document.$id), document])) };
}

/** Over HTTP or HTTPS, as on the server. */
function isOneOf(uri: string, documents: ReadonlyMap<string, JsonValue>): boolean {
  const address = withoutHash(uri).replace(/^https?:/, "");
  return documents.has(`https:${address}`) || documents.has(`http:${address}`);
}

function withoutHash(uri: string): string {
  return uri.endsWith("#") ? uri.slice(0, -1) : uri;
}
