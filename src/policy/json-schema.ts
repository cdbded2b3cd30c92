/**
 * JSON Schema for what requests bring: drafts 2020-12 (where a schema does not say), 2019-09 and 07, formats
 * asserted. Patterns are RE2's, as they are for the server: a schema cannot make matching take exponential time.
 */

import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { compileRegex } from "../cel/regex.js";
import type { JsonValue } from "./model.js";

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

/**
 * Compiles schemas that refer to each other. `documents` has them by reference (`cerbos:///key.json`), and may grow
 * between calls.
 */
export class SchemaCompiler {
  private readonly documents: ReadonlyMap<string, JsonValue>;
  private readonly dialects = new Map<string, Dialect>();

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = documents;
  }

  /**
   * The validator of the schema at `ref`, which may end in a fragment.
   * @throws {Error} if it is not a valid JSON Schema
   */
  validatorOf(ref: string): ValidateFunction {
    const [document = ref] = ref.split("#");
    const dialect = this.dialectOf(this.documents.get(document));
    for (const key of this.reachable(document)) this.add(key, dialect);
    const validate = dialect.ajv.getSchema(ref);
    if (validate === undefined) throw new Error(`there is no schema at ${ref}`);
    return validate;
  }

  /** Why {@link validatorOf} refuses the schema, or undefined if it does not. */
  faultOf(ref: string): string | undefined {
    try {
      this.validatorOf(ref);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : "it does not compile";
    }
  }

  private add(key: string, dialect: Dialect): void {
    if (dialect.added.has(key)) return;
    const schema = this.documents.get(key);
    const definition = typeof schema === "boolean" ? (schema ? {} : { not: {} }) : schema;
    if (!isObject(definition)) throw new Error("a schema is an object or a boolean");
    const { ajv } = this.dialectOf(definition);
    if (ajv.validateSchema(definition) !== true) throw new Error(ajv.errorsText(ajv.errors, { dataVar: "schema" }));
    dialect.ajv.addSchema(definition, key, false, false);
    dialect.added.add(key);
  }

  private reachable(document: string): readonly string[] {
    const found = new Set([document]);
    for (const key of found) {
      for (const other of otherSchemas(this.documents.get(key) ?? true, key)) {
        if (this.documents.has(other)) found.add(other);
      }
    }
    return [...found];
  }

  private dialectOf(schema: JsonValue | undefined): Dialect {
    const draft = draftOf(schema);
    const name = ["draft-07", "2019-09"].find((each) => draft.includes(each)) ?? "2020-12";
    const known = this.dialects.get(name);
    if (known !== undefined) return known;
    const dialect = { ajv: newAjv(name), added: new Set<string>() };
    this.dialects.set(name, dialect);
    return dialect;
  }
}

/** One draft's compiler, and the documents that it has. */
interface Dialect {
  readonly ajv: Ajv;
  readonly added: Set<string>;
}

function newAjv(draft: string): Ajv {
  const ajv = draft === "draft-07" ? new Ajv(OPTIONS) : new (draft === "2019-09" ? Ajv2019 : Ajv2020)(OPTIONS);
  addFormats.default(ajv);
  ajv.addFormat("regex", (pattern) => compileRegex(pattern) !== undefined);
  return ajv;
}

function draftOf(schema: JsonValue | undefined): string {
  if (!isObject(schema)) return "";
  return typeof schema.$schema === "string" ? schema.$schema : "";
}

/** The documents, other than itself, that the schema at `ref` refers to. */
export function otherSchemas(schema: JsonValue, ref: string): readonly string[] {
  const found = new Set<string>();
  collectReferences(schema, ref, found);
  found.delete(ref);
  return [...found];
}

function collectReferences(value: JsonValue, base: string, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if (isList(value)) {
    for (const item of value) collectReferences(item, base, found);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === "$ref" && typeof inner === "string" && !inner.startsWith("#")) found.add(resolveReference(inner, base));
    else collectReferences(inner, base, found);
  }
}

/** The document that a reference means: `other.json` next to `cerbos:///dir/this.json` is `cerbos:///dir/other.json`. */
export function resolveReference(reference: string, base: string): string {
  const [document = ""] = reference.split("#");
  if (/^[a-z][a-z+.-]*:/i.test(document)) return document;
  const root = base.slice(0, base.indexOf("///") + 3);
  const parts = document.startsWith("/") ? [] : base.slice(root.length).split("/").slice(0, -1);
  for (const part of document.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return root + parts.join("/");
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !isList(value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
