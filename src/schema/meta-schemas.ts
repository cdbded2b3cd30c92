/**
 * Whether schemas are JSON Schemas: drafts 2020-12 (where a schema does not say), 2019-09 and 07, formats asserted.
 * Patterns are RE2's, as they are for the server: a schema cannot make matching take exponential time.
 */

import { isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { DRAFTS } from "./drafts.js";
import { type Draft, draftOf, LATEST } from "./keywords.js";
import { SchemaValidator } from "./validator.js";

/** The schemas of schemas and the parts that they refer to, by address. */
const DOCUMENTS: ReadonlyMap<string, JsonValue> = new Map(
  Object.values(DRAFTS).flatMap((documents) => documents.map((document) => [addressOf(document.$id), document])),
);

/** However large a schema is: what checking it takes grows with it, and no faster. */
const VALIDATOR = new SchemaValidator(
  new Map([
    ...DOCUMENTS,
    ...Object.values(DRAFTS).map((documents) => [addressOf(documents[0].$id), whole(documents)] as const),
  ]),
  Number.POSITIVE_INFINITY,
);

/**
 * The schema of schemas with its parts in it. Each part says what holds for some keywords, and refers to nothing but its
 * own definitions and the whole: so it is the same, and each schema is looked at once, not once for each part.
 */
function whole([main, ...parts]: readonly JsonObject[]): JsonObject {
  const { allOf: _, ...rest } = main ?? {};
  const all = [...parts, rest];
  const joined = (keyword: string) => Object.assign({}, ...all.map((part) => part[keyword] ?? {}));
  return { ...rest, properties: joined("properties"), $defs: joined("$defs") };
}

/** What makes `schema` no JSON Schema of its draft; undefined if it is one. */
export function faultOf(schema: JsonValue): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return "a schema is an object or a boolean";
  const { $schema } = schema;
  const draft = typeof $schema === "string" ? draftOf($schema) : LATEST;
  if (typeof $schema === "string" && !isOfDraft($schema, draft)) return `there is no draft ${$schema}`;
  const faults = VALIDATOR.validate(addressOf(DRAFTS[draft][0].$id), schema);
  if (faults.length === 0) return undefined;
  return faults.map(({ path, message }) => `schema${path}: ${inWords(message)}`).join("; ");
}

/** The schema of schemas, or of a part of their vocabulary, at an address; undefined if there is none. */
export function metaSchemaAt(uri: string): JsonValue | undefined {
  return DOCUMENTS.get(uri);
}

/** Over HTTP or HTTPS, as on the server. */
function isOfDraft(uri: string, draft: Draft): boolean {
  const address = plainAddressOf(uri);
  return DRAFTS[draft].some(({ $id }) => plainAddressOf($id) === address);
}

function plainAddressOf(uri: string): string {
  return addressOf(uri).replace(/^https:/, "http:");
}

function addressOf(uri: string): string {
  return uri.endsWith("#") ? uri.slice(0, -1) : uri;
}

/** Which regular expressions there are, authors do not know. */
function inWords(message: string): string {
  return message.replace(/is not valid 'regex'$/, "is not a regular expression of RE2");
}
