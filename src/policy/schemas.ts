/**
 * The JSON Schemas that policies refer to as `cerbos:///path.json`, which is the file `_schemas/path.json`. Only
 * schemas in use are read, with those they refer to.
 */

import type { IssueLog } from "./issue-log.js";
import { otherSchemas, SchemaCompiler } from "./json-schema.js";
import type { JsonValue, SchemaUse } from "./model.js";
import type { RawSchemaUse } from "./read/raw.js";
import { parseJson } from "./text/json.js";
import { Source } from "./text/source.js";

const SCHEME = "cerbos:///";

/** Schema files are those below this directory. */
export const SCHEMA_DIRECTORY = "_schemas/";

export class SchemaFiles {
  private readonly files: ReadonlyMap<string, string>;
  private readonly log: IssueLog;
  private readonly loaded = new Map<string, JsonValue>();
  private readonly broken = new Set<string>();
  private readonly compiler = new SchemaCompiler(this.loaded);
  private readonly verdicts = new Map<string, string | undefined>();

  /** `files` has the text of each schema file by its path. */
  constructor(files: ReadonlyMap<string, string>, log: IssueLog) {
    this.files = files;
    this.log = log;
  }

  /** Every schema that was used, by reference. */
  get schemas(): ReadonlyMap<string, JsonValue> {
    return this.loaded;
  }

  /** A policy's reference, checked: the schema is there, is JSON, and is a JSON Schema. */
  use(use: RawSchemaUse | undefined): SchemaUse | undefined {
    if (use === undefined) return undefined;
    const [document = ""] = use.ref.split("#");
    if (!this.verdicts.has(use.ref)) this.verdicts.set(use.ref, this.check(use.ref, document));
    const fault = this.verdicts.get(use.ref);
    if (fault !== undefined) this.log.error("schema", use.at, fault);
    return use;
  }

  /** What is wrong with the schema at `ref`, or undefined. Faults of JSON are reported in the schema file itself. */
  private check(ref: string, document: string): string | undefined {
    const pending = [document];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (this.broken.has(next)) return undefined;
      if (this.loaded.has(next)) continue;
      const path = next.startsWith(SCHEME) ? SCHEMA_DIRECTORY + next.slice(SCHEME.length) : undefined;
      const text = path === undefined ? undefined : this.files.get(path);
      if (path === undefined || text === undefined) return missing(next, document, path);
      const schema = parseJson(new Source(path, text), this.log);
      if (schema === undefined) {
        this.broken.add(next);
        return undefined;
      }
      this.loaded.set(next, schema);
      pending.push(...otherSchemas(schema, next));
    }
    const fault = this.compiler.faultOf(ref);
    return fault === undefined ? undefined : `the schema "${document}" is not a valid JSON Schema: ${fault}`;
  }
}

function missing(ref: string, document: string, path: string | undefined): string {
  const by = ref === document ? "" : `, which "${document}" refers to,`;
  if (path !== undefined) return `the schema "${ref}"${by} is missing: there is no file ${path}`;
  return `the schema "${ref}"${by} cannot be loaded: only ${SCHEME} references are`;
}
