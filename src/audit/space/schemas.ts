/** What JSON Schemas say of attributes, as far as it helps to choose values: types, members, bounds, what is required. */

import type { JsonValue } from "../../cel/json.js";
import type { PolicyModel } from "../../policy/model.js";
import type { Sort } from "./dimension.js";

type JsonObject = { readonly [key: string]: JsonValue };

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

const MAX_REFERENCES = 32;
const MAX_DEPTH = 8;

/** The schema at `ref` of a model (`cerbos:///key.json`). */
export class SchemaView {
  private readonly documents: PolicyModel["schemas"];
  private readonly root: JsonObject | undefined;
  private readonly ref: string;

  constructor(documents: PolicyModel["schemas"], ref: string) {
    this.documents = documents;
    this.ref = ref.split("#")[0] ?? ref;
    this.root = asObject(documents.get(this.ref));
  }

  /** What is known of the attribute at `path`, given by its fields. */
  attribute(path: readonly string[]): AttributeSchema {
    let node = this.root;
    let required = true;
    for (const field of path) {
      const here = this.resolved(node);
      if (here === undefined) return NOTHING_KNOWN;
      const list = here.required;
      required &&= Array.isArray(list) && list.includes(field);
      node = asObject(asObject(here.properties)?.[field]);
    }
    const schema = this.resolved(node);
    if (schema === undefined) return NOTHING_KNOWN;
    const { type, minimum, maximum } = schema;
    return {
      sort: SORTS.get(typeof type === "string" ? type : ""),
      members: membersOf(schema),
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

  private sampleObject(node: JsonObject | undefined, depth: number): { [name: string]: JsonValue } {
    const schema = this.resolved(node);
    const properties = asObject(schema?.properties);
    const sample: { [name: string]: JsonValue } = {};
    if (depth > MAX_DEPTH || !Array.isArray(schema?.required)) return sample;
    for (const name of schema.required) {
      if (typeof name !== "string" || name === "__proto__") continue;
      sample[name] = this.sampleValue(asObject(properties?.[name]), name, depth + 1);
    }
    return sample;
  }

  private sampleValue(node: JsonObject | undefined, name: string, depth: number): JsonValue {
    const schema = this.resolved(node);
    const [member] = (schema && membersOf(schema)) ?? [];
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

  /** A schema with its `$ref` followed. */
  private resolved(node: JsonObject | undefined): JsonObject | undefined {
    let schema = node;
    let document = this.root;
    for (let i = 0; i < MAX_REFERENCES && schema !== undefined; i++) {
      const reference = schema.$ref;
      if (typeof reference !== "string") return schema;
      const [other = "", pointer = ""] = reference.split("#");
      if (other !== "")
        document = asObject(this.documents.get(other)) ?? asObject(this.documents.get(this.beside(other)));
      schema = at(document, pointer);
    }
    return undefined;
  }

  private beside(name: string): string {
    return this.ref.slice(0, this.ref.lastIndexOf("/") + 1) + name;
  }
}

const SORTS: ReadonlyMap<string, Sort> = new Map<string, Sort>([
  ["boolean", "boolean"],
  ["integer", "number"],
  ["number", "number"],
  ["string", "string"],
  ["array", "list"],
]);

function membersOf(schema: JsonObject): readonly JsonValue[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function at(document: JsonObject | undefined, pointer: string): JsonObject | undefined {
  const fields = pointer.split("/").slice(1);
  return fields.reduce((node, field) => asObject(node?.[field.replaceAll("~1", "/").replaceAll("~0", "~")]), document);
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !isList(value) ? value : undefined;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
