/**
 * The statements of JSON Schemas about attributes: types, members, bounds, and whether they are declared and required.
 */

import { isObject, type JsonValue } from "../cel/json.js";
import type { PolicyModel } from "../policy/model.js";
import { listOf, own, type SchemaObject, valuesOf } from "../schema/keywords.js";
import { type SchemaNode, SchemaTree } from "../schema/tree.js";
import type { ValueSort } from "./dimension.js";

/** One attribute's schema. */
export interface AttributeSchema {
  /** `unknown`: it depends on the data whether the schema declares the attribute. */
  readonly declared: "yes" | "no" | "unknown";
  readonly sort: ValueSort | undefined;
  /** The only values that the schema allows. */
  readonly members: readonly JsonValue[] | undefined;
  readonly integer: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** Every step of the path is required. */
  readonly required: boolean;
}

const NOTHING_KNOWN: AttributeSchema = {
  declared: "unknown",
  sort: undefined,
  members: undefined,
  integer: false,
  minimum: undefined,
  maximum: undefined,
  required: false,
};

const MAX_DEPTH = 8;

/** Keywords that make the result depend on the data. */
const INDIRECT = ["anyOf", "oneOf", "if", "$dynamicRef", "$recursiveRef", "dependentSchemas"];

/** The schema at `ref` of a model (`cerbos:///key.json`). */
export class SchemaView {
  private readonly tree: SchemaTree;
  private readonly root: SchemaNode;

  constructor(documents: PolicyModel["schemas"], ref: string) {
    this.tree = new SchemaTree(documents);
    this.root = this.tree.at(ref);
  }

  /** The schema of the attribute at `path`, a list of fields. */
  attribute(path: readonly string[]): AttributeSchema {
    let node = this.root;
    let required = true;
    let isCertain = true;
    for (const field of path) {
      const { schema } = node;
      isCertain &&= !INDIRECT.some((keyword) => Object.hasOwn(schema, keyword));
      required &&= listOf(schema, "required").includes(field);
      const properties = own(schema, "properties");
      if (!isObject(properties) || !Object.hasOwn(properties, field)) {
        const isOut = isCertain && isObject(properties) && !isOpen(schema);
        return isOut ? { ...NOTHING_KNOWN, declared: "no" } : NOTHING_KNOWN;
      }
      node = this.tree.below(node, field);
    }
    const { type, minimum, maximum } = node.schema;
    return {
      declared: isCertain ? "yes" : "unknown",
      sort: SORTS.get(typeof type === "string" ? type : ""),
      members: valuesOf(node.schema),
      integer: type === "integer",
      minimum: typeof minimum === "number" ? minimum : undefined,
      maximum: typeof maximum === "number" ? maximum : undefined,
      required,
    };
  }

  /** The required attributes, with values that are likely to be valid. */
  sample(): { [name: string]: JsonValue } {
    return this.sampleObject(this.root, 0);
  }

  private sampleObject(node: SchemaNode, depth: number): { [name: string]: JsonValue } {
    const sample: { [name: string]: JsonValue } = {};
    if (depth > MAX_DEPTH) return sample;
    for (const name of listOf(node.schema, "required")) {
      if (typeof name !== "string" || name === "__proto__") continue;
      sample[name] = this.sampleValue(this.tree.below(node, name), name, depth + 1);
    }
    return sample;
  }

  private sampleValue(node: SchemaNode, name: string, depth: number): JsonValue {
    const { schema } = node;
    const [member] = valuesOf(schema) ?? listOf(schema, "examples");
    if (member !== undefined) return member;
    switch (schema.type) {
      case "boolean":
        return false;
      case "integer":
      case "number":
        return typeof schema.minimum === "number" ? schema.minimum : 1;
      case "array":
        return [];
      case "object":
        return this.sampleObject(node, depth);
      default:
        return typeof schema.minLength === "number" ? `${name}_1`.padEnd(schema.minLength, "x") : `${name}_1`;
    }
  }
}

/** Whether attributes with names outside `properties` are possible. */
function isOpen(schema: SchemaObject): boolean {
  return isObject(own(schema, "patternProperties")) || isObject(own(schema, "additionalProperties"));
}

const SORTS: ReadonlyMap<string, ValueSort> = new Map<string, ValueSort>([
  ["boolean", "boolean"],
  ["integer", "number"],
  ["number", "number"],
  ["string", "string"],
  ["array", "list"],
]);
