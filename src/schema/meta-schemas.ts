/**
 * Validates JSON Schemas against the meta-schema of their draft: 2020-12 (the default), 2019-09 or 07, with formats
 * asserted. Patterns are RE2's, as on the server: a schema cannot make matching take exponential time.
 */

import { isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { DRAFTS } from "./drafts.js";
import { draftOf, LATEST, type SchemaDraft } from "./keywords.js";
import { SchemaValidator } from "./validator.js";

/** The meta-schemas and the parts that they refer to, by address. */
const DOCUMENTS: ReadonlyMap<string, JsonValue> = new Map(
  Object.values(DRAFTS).flatMap((documents) => documents.map((document) => [addressOf(document.$id), document])),
);

/** Without a step budget: the work grows only linearly with the size of a schema. */
const VALIDATOR = new SchemaValidator(
  new Map([
    ...DOCUMENTS,
    ...Object.values(DRAFTS).map((documents) => [addressOf(documents[0].$id), whole(documents)] as const),
  ]),
  Number.POSITIVE_INFINITY,
);

/**
 * Joins a meta-schema with its parts. Each part constrains some keywords, and refers to nothing but its own definitions
 * and the whole. So the joined schema is equivalent, and validates each schema once, not once for each part.
 */
function whole([main, ...parts]: readonly JsonObject[]): JsonObject {
  const { allOf: _, ...rest } = main ?? {};
  const all = [...parts, rest];
  const joined = (keyword: string) => Object.assign({}, ...all.map((part) => part[keyword] ?? {}));
  return { ...rest, properties: joined("properties"), $defs: joined("$defs") };
}

/** Why `schema` is not a JSON Schema of its draft; undefined if it is one. */
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

/** The meta-schema, or the part of one, at an address; undefined if there is none. */
export function metaSchemaAt(uri: string): JsonValue | undefined {
  return DOCUMENTS.get(uri);
}

/** Whether `uri` names the meta-schema of a draft or a part of it. As on the server, HTTP and HTTPS are the same. */
function isOfDraft(uri: string, draft: SchemaDraft): boolean {
  const address = plainAddressOf(uri);
  return DRAFTS[draft].some(({ $id }) => plainAddressOf($id) === address);
}

function plainAddressOf(uri: string): string {
  return addressOf(uri).replace(/^https:/, "http:");
}

function addressOf(uri: string): string {
  return uri.endsWith("#") ? uri.slice(0, -1) : uri;
}

/** Names RE2 in the message, since authors cannot know which regular expressions are supported. */
function inWords(message: string): string {
  return message.replace(/is not valid 'regex'$/, "is not a regular expression of RE2");
}
