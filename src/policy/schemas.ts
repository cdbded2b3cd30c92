/**
 * The JSON Schemas that policies refer to. `cerbos:///path.json` is the file `_schemas/path.json`. Only schemas in use,
 * and those they refer to, are read.
 */

import type { JsonValue } from "../cel/json.js";
import { SchemaDocuments, type SchemaResource } from "../schema/documents.js";
import type { Schema } from "../schema/keywords.js";
import { faultOf, metaSchemaAt } from "../schema/meta-schemas.js";
import type { IssueLog } from "./issue-log.js";
import type { SchemaUse } from "./model.js";
import type { RawSchemaUse } from "./read/raw.js";
import { parseJson } from "./text/json.js";
import { Source } from "./text/source.js";

const SCHEME = "cerbos:///";

/** The directory of schema files. */
export const SCHEMA_DIRECTORY = "_schemas/";

/** By the text of a schema: why it is not a valid JSON Schema, or undefined if it is valid. */
export type SchemaFaults = ReadonlyMap<string, string | undefined>;

export class SchemaFiles {
  private readonly files: ReadonlyMap<string, string>;
  private readonly log: IssueLog;
  private readonly loaded = new Map<string, JsonValue>();
  private readonly broken = new Set<string>();
  private readonly documents = new SchemaDocuments();
  private readonly verdicts = new Map<string, string | undefined>();
  private readonly known: SchemaFaults;
  /** By the text of each schema that was used: its fault, or undefined. */
  readonly faults = new Map<string, string | undefined>();

  /** `files` has the text of each schema file by path. `known` has the faults found earlier, by text. */
  constructor(files: ReadonlyMap<string, string>, log: IssueLog, known: SchemaFaults) {
    this.files = files;
    this.log = log;
    this.known = known;
  }

  /** Every schema that was used, by reference. */
  get schemas(): ReadonlyMap<string, JsonValue> {
    return this.loaded;
  }

  /** Checks a policy's reference: the schema must exist, be JSON, and be a JSON Schema. */
  use(use: RawSchemaUse | undefined): SchemaUse | undefined {
    if (use === undefined) return undefined;
    const [document = ""] = use.ref.split("#");
    if (!this.verdicts.has(use.ref)) this.verdicts.set(use.ref, this.check(use.ref, document));
    const fault = this.verdicts.get(use.ref);
    if (fault !== undefined) this.log.error("schema", use.at, fault);
    return use;
  }

  /**
   * Why the schema at `ref` is invalid; undefined if it is valid. As on the server, only references that a validation can
   * reach count. A reference is looked up in the same document before it is looked up as a file.
   */
  private check(ref: string, document: string): string | undefined {
    const fault = this.load(document, document) ?? this.follow(ref, document);
    return fault === BROKEN ? undefined : fault;
  }

  private follow(ref: string, document: string): string | undefined {
    const { documents } = this;
    const root = documents.resolve(ref, undefined);
    if (root === undefined) return invalid(document, `there is no schema at ${ref}`);
    const found = new Set<Schema>([root]);
    for (const schema of found) {
      const resource = typeof schema === "boolean" ? undefined : documents.resourceOf(schema);
      if (typeof schema === "boolean" || resource === undefined) continue;
      const { references, applied } = documents.usesOf(schema);
      for (const each of applied) found.add(each);
      for (const reference of references) {
        const fault = this.loadFor(reference, resource, document);
        if (fault !== undefined) return fault;
        const target = documents.resolve(reference, resource);
        if (target === undefined) return invalid(document, `there is no schema at ${reference}`);
        found.add(target);
      }
    }
    if (documents.endless(found) !== undefined) return invalid(document, "it refers to itself without end");
    return undefined;
  }

  /** Loads the document of a reference; returns its fault, if any. */
  private loadFor(reference: string, from: SchemaResource, document: string): string | undefined {
    const other = this.documents.documentOf(reference, from);
    return other === undefined ? undefined : this.load(other, document);
  }

  /**
   * Loads a document unless it is loaded; returns its fault, if any. Faults of JSON are reported in the schema's own
   * file.
   */
  private load(uri: string, document: string): string | undefined {
    if (this.broken.has(uri)) return BROKEN;
    if (this.loaded.has(uri)) return undefined;
    const known = metaSchemaAt(uri);
    if (known !== undefined) {
      this.documents.add(uri, known);
      this.loaded.set(uri, known);
      return undefined;
    }
    const path = uri.startsWith(SCHEME) ? SCHEMA_DIRECTORY + uri.slice(SCHEME.length) : undefined;
    const text = path === undefined ? undefined : this.files.get(path);
    if (path === undefined || text === undefined) return missing(uri, document, path);
    const schema = parseJson(new Source(path, text), this.log);
    if (schema === undefined) {
      this.broken.add(uri);
      return BROKEN;
    }
    const fault = this.known.has(text) ? this.known.get(text) : faultOf(schema);
    this.faults.set(text, fault);
    if (fault !== undefined) return invalid(uri, fault);
    const duplicate = this.documents.add(uri, schema);
    if (duplicate !== undefined) return invalid(uri, `two parts of it have the $id ${duplicate}`);
    this.loaded.set(uri, schema);
    return undefined;
  }
}

/** Stands for a fault that is already reported elsewhere. */
const BROKEN = "";

function invalid(document: string, fault: string): string {
  return `the schema "${document}" is not a valid JSON Schema: ${fault}`;
}

function missing(ref: string, document: string, path: string | undefined): string {
  const by = ref === document ? "" : `, which "${document}" refers to,`;
  if (path !== undefined) return `the schema "${ref}"${by} is missing: there is no file ${path}`;
  return `the schema "${ref}"${by} cannot be loaded: only ${SCHEME} references are`;
}
