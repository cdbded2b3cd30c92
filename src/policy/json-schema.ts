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
    return regex;
  },
  { code: "RE2" },
);

const OPTIONS = { strict: false, allErrors: true, logger: false, code: { regExp: RE2 } } as const;

/**
 * The validator of the schema at `ref`; `schemas` are all documents that it may refer to, by reference.
 * @throws {Error} if it is not a valid JSON Schema
 */
export function compileSchema(ref: string, schemas: ReadonlyMap<string, JsonValue>): ValidateFunction {
  const [document = ref] = ref.split("#");
  const ajv = ajvFor(draftOf(schemas.get(document)));
  addFormats.default(ajv);
  ajv.addFormat("regex", (pattern) => compileRegex(pattern) !== undefined);
  for (const [key, schema] of schemas) {
    if (typeof schema === "boolean") ajv.addSchema(schema ? {} : { not: {} }, key);
    else if (typeof schema === "object" && schema !== null && !isList(schema)) ajv.addSchema(schema, key);
    else if (key === document) throw new Error("a schema is an object or a boolean");
  }
  const validate = ajv.getSchema(ref);
  if (validate === undefined) throw new Error(`there is no schema at ${ref}`);
  return validate;
}

/** Why {@link compileSchema} refuses the schema, or undefined if it does not. */
export function compileFault(ref: string, schemas: ReadonlyMap<string, JsonValue>): string | undefined {
  try {
    compileSchema(ref, schemas);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it does not compile";
  }
}

function ajvFor(draft: string): Ajv {
  if (draft.includes("draft-07") || draft.includes("draft-06")) return new Ajv(OPTIONS);
  return draft.includes("2019-09") ? new Ajv2019(OPTIONS) : new Ajv2020(OPTIONS);
}

function draftOf(schema: JsonValue | undefined): string {
  if (typeof schema !== "object" || schema === null || isList(schema)) return "";
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
    if (key === "$ref" && typeof inner === "string" && !inner.startsWith("#")) found.add(absolute(inner, base));
    else collectReferences(inner, base, found);
  }
}

/** `other.json` next to `cerbos:///dir/this.json` is `cerbos:///dir/other.json`. */
function absolute(reference: string, base: string): string {
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

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
