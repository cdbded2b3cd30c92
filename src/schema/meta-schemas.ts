/**
 * Whether schemas are JSON Schemas: drafts 2020-12 (where a schema does not say), 2019-09 and 07, formats asserted.
 * Patterns are RE2's, as they are for the server: a schema cannot make matching take exponential time.
 */

import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type JsonValue } from "../cel/json.js";
import { compileRegex } from "../cel/regex.js";
import { hasFormat } from "./formats.js";
import { type Draft, draftOf } from "./keywords.js";

/** The engine that a schema's `pattern`s run on. Its `code` is for ajv's standalone output, which is not used. */
const RE2 = Object.assign(
  (pattern: string) => {
    const regex = compileRegex(pattern);
    if (regex === undefined) throw new Error(`${JSON.stringify(pattern)} is not a regular expression of RE2`);
    // ajv keeps one regular expression for all that have the same text.
    return Object.assign(regex, { toString: () => pattern });
  },
  { code: "RE2" },
);

const OPTIONS = { strict: false, allErrors: true, logger: false, code: { regExp: RE2 } } as const;

/** The drafts' schemas of schemas. */
const DRAFTS = {
  7: { main: "http://json-schema.org/draft-07/schema", Compiler: Ajv },
  2019: { main: "https://json-schema.org/draft/2019-09/schema", Compiler: Ajv2019 },
  2020: { main: "https://json-schema.org/draft/2020-12/schema", Compiler: Ajv2020 },
} as const;

/** The formats that they ask for. */
const FORMATS = ["regex", "uri", "uri-reference"];

/** What JSON Schema itself says of schemas, draft by draft. */
export class MetaSchemas {
  private readonly drafts = new Map<Draft, MetaSchema>();

  /** What makes `schema` no JSON Schema of its draft; undefined if it is one. */
  faultOf(schema: JsonValue): string | undefined {
    if (typeof schema === "boolean") return undefined;
    if (!isObject(schema)) return "a schema is an object or a boolean";
    const { $schema } = schema;
    const { ajv, documents, main } = this.metaSchemaOf(typeof $schema === "string" ? $schema : "");
    if (typeof $schema === "string" && !isOneOf($schema, documents)) return `there is no draft ${$schema}`;
    try {
      if (ajv.validate(main, schema)) return undefined;
      const pattern = ajv.errors?.find(({ keyword, schema: format }) => keyword === "format" && format === "regex");
      if (pattern !== undefined) return `${JSON.stringify(pattern.data)} is not a regular expression of RE2`;
      return ajv.errorsText(ajv.errors, { dataVar: "schema" });
    } catch (error) {
      return error instanceof Error ? error.message : "it cannot be checked";
    }
  }

  /** The schema of schemas, or of a part of their vocabulary, at an address; undefined if there is none. */
  documentOf(uri: string): JsonValue | undefined {
    return /^https?:\/\/json-schema\.org\//.test(uri) ? this.metaSchemaOf(uri).documents.get(uri) : undefined;
  }

  private metaSchemaOf(uri: string): MetaSchema {
    const draft = draftOf(uri);
    const known = this.drafts.get(draft) ?? metaSchema(draft);
    this.drafts.set(draft, known);
    return known;
  }
}

interface MetaSchema {
  readonly main: string;
  readonly ajv: Ajv;
  /** The schema of schemas and its parts, by address. */
  readonly documents: ReadonlyMap<string, JsonValue>;
}

/** ajv does not look at formats when it validates by its own schemas of schemas; by schemas like any other it does. */
function metaSchema(draft: Draft): MetaSchema {
  const { main, Compiler } = DRAFTS[draft];
  const documents = new Map<string, JsonValue>();
  for (const shipped of Object.values(new Compiler(OPTIONS).schemas)) {
    const schema: unknown = shipped?.schema;
    if (isJson(schema) && isObject(schema) && typeof schema.$id === "string") {
      documents.set(withoutHash(schema.$id), schema);
    }
  }
  const ajv = new Compiler({ ...OPTIONS, meta: false, validateSchema: false, verbose: true });
  for (const format of FORMATS) ajv.addFormat(format, (text) => hasFormat(text, format));
  for (const schema of documents.values()) if (isObject(schema)) ajv.addSchema(schema);
  return { main, ajv, documents };
}

/** Over HTTP or HTTPS, as on the server. */
function isOneOf(uri: string, documents: ReadonlyMap<string, JsonValue>): boolean {
  const address = withoutHash(uri).replace(/^https?:/, "");
  return documents.has(`https:${address}`) || documents.has(`http:${address}`);
}

function withoutHash(uri: string): string {
  return uri.endsWith("#") ? uri.slice(0, -1) : uri;
}

/** What ajv has of such a document is the JSON that it ships. */
function isJson(value: unknown): value is JsonValue {
  return typeof value === "object";
}
