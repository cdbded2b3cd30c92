/** What JSON Schemas say of attributes, as far as it helps to choose values: types, members, bounds, what is required. */

import { isObject, type JsonValue } from "../cel/json.js";
import type { PolicyModel } from "../policy/model.js";
import { SchemaDocuments } from "../schema/documents.js";
import { isSchema, listOf, own, type Schema, type SchemaObject, valuesOf } from "../schema/keywords.js";
import type { Sort } from "./dimension.js";

/** One attribute's schema. */
export interface AttributeSchema {
  readonly sort: Sort | undefined;
  /** The only values that it may have. */
  readonly members: readonly JsonValue[] | undefined;
  readonly integer: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly required: boolean;
}

const NOTHING_KNOWN: AttributeSchema = {
  sort: undefined,
  members: undefined,
  integer: false,
  minimum: undefined,
  maximum: undefined,
  required: false,
};

const MAX_DEPTH = 8;

/** The schema at `ref` of a model (`cerbos:///key.json`). */
export class SchemaView {
  private readonly documents: SchemaDocuments;
  private readonly root: Schema | undefined;

  constructor(documents: PolicyModel["schemas"], ref: string) {
    this.documents = new SchemaDocuments(documents);
    this.root = this.documents.resolve(ref, undefined);
  }

  /** What is known of the attribute at `path`, given by its fields. */
  attribute(path: readonly string[]): AttributeSchema {
    let node = this.root;
    let required = true;
    for (const field of path) {
      const here = this.documents.followed(node);
      if (here === undefined) return NOTHING_KNOWN;
      required &&= listOf(here, "required").includes(field);
      node = property(here, field);
    }
    const schema = this.documents.followed(node);
    if (schema === undefined) return NOTHING_KNOWN;
    const { type, minimum, maximum } = schema;
    return {
      sort: SORTS.get(typeof type === "string" ? type : ""),
      members: valuesOf(schema),
      integer: type === "integer",
      minimum: typeof minimum === "number" ? minimum : undefined,
      maximum: typeof maximum === "number" ? maximum : undefined,
      required,
    };
  }

  /** The attributes that must be there, with values that should do. */
  sample(): { [name: string]: JsonValue } {
    return this.sampleObject(this.root, 0);
  }

  private sampleObject(node: Schema | undefined, depth: number): { [name: string]: JsonValue } {
    const schema = this.documents.followed(node);
    const sample: { [name: string]: JsonValue } = {};
    if (depth > MAX_DEPTH || schema === undefined) return sample;
    for (const name of listOf(schema, "required")) {
      if (typeof name !== "string" || name === "__proto__") continue;
      sample[name] = this.sampleValue(property(schema, name), name, depth + 1);
    }
    return sample;
  }

  private sampleValue(node: Schema | undefined, name: string, depth: number): JsonValue {
    const schema = this.documents.followed(node);
    const [member] = (schema && valuesOf(schema)) ?? [];
    if (member !== undefined) return member;
    switch (schema?.type) {
      case "boolean":
        return false;
      case "integer":
      case "number":
        return typeof schema.minimum === "number" ? schema.minimum : 1;
      case "array":
        return [];
      case "object":
        return this.sampleObject(schema, depth);
      default:
        return `${name}_1`;
    }
  }
}

const SORTS: ReadonlyMap<string, Sort> = new Map<string, Sort>([
  ["boolean", "boolean"],
  ["integer", "number"],
  ["number", "number"],
  ["string", "string"],
  ["array", "list"],
]);

function property(schema: SchemaObject, name: string): Schema | undefined {
  const properties = own(schema, "properties");
  const value = isObject(properties) ? own(properties, name) : undefined;
  return isSchema(value) ? value : undefined;
}
