/**
 * JSON Schemas as trees for traversal: references are followed, and the parts of `allOf` and of alternatives are
 * joined.
 */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { SchemaDocuments, type SchemaResource } from "./documents.js";
import { isReferenceAlone, listOf, own, type SchemaObject } from "./keywords.js";

/** A schema, and the base of its references. */
export interface SchemaNode {
  readonly schema: SchemaObject;
  readonly base: SchemaResource | undefined;
}

/** Longer chains of references are not followed: a schema can contain itself. */
const MAX_REFERENCES = 8;

export class SchemaTree {
  private readonly documents: SchemaDocuments;

  /** `documents` has the schemas by reference: `cerbos:///key.json`. */
  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = new SchemaDocuments(documents);
  }

  /** The schema at a policy's reference; the empty schema if it cannot be found. */
  at(ref: string): SchemaNode {
    return this.flat(this.node(this.documents.resolve(ref, undefined), undefined));
  }

  /** The schema joined with its `$ref` and its `allOf`. */
  flat({ schema, base }: SchemaNode, depth = 0): SchemaNode {
    if (depth > MAX_REFERENCES) return { schema: {}, base };
    const { $ref, allOf: _, ...own } = schema;
    const isAlone = base !== undefined && isReferenceAlone(schema, base.draft);
    let node: SchemaNode = { schema: isAlone ? {} : own, base };
    const target = typeof $ref === "string" ? [this.documents.resolve($ref, base)] : [];
    for (const part of isAlone ? target : [...target, ...listOf(schema, "allOf")]) {
      node = joined(this.flat(this.node(part, base), depth + 1), node);
    }
    return node;
  }

  /**
   * The alternatives of `anyOf` or `oneOf`, each joined with the rest of the schema. Without alternatives, the schema
   * itself.
   */
  alternatives({ schema, base }: SchemaNode): readonly SchemaNode[] {
    const { anyOf, oneOf, ...rest } = schema;
    const listed = isList(anyOf) ? anyOf : oneOf;
    if (!isList(listed) || listed.length === 0) return [{ schema, base }];
    return listed.map((one) => joined(this.flat(this.node(one, base)), { schema: rest, base }));
  }

  /** The schema of a property. */
  below(node: SchemaNode, name: string): SchemaNode {
    const properties = own(node.schema, "properties");
    return this.child(isObject(properties) ? own(properties, name) : undefined, node);
  }

  /** A schema held by `node`, such as one of its `items`. */
  child(schema: JsonValue | undefined, { base }: SchemaNode): SchemaNode {
    return this.flat(this.node(schema, base));
  }

  /** A schema that is not an object becomes the empty schema. */
  private node(value: JsonValue | undefined, outer: SchemaResource | undefined): SchemaNode {
    const schema = isObject(value) ? value : {};
    return { schema, base: this.documents.resourceOf(schema) ?? outer };
  }
}

/** Joins two schemas: keywords of `over` win, but `properties` and `required` are merged. */
function joined(under: SchemaNode, over: SchemaNode): SchemaNode {
  const schema: SchemaObject = {
    ...under.schema,
    ...over.schema,
    ...both("properties", under.schema, over.schema),
    ...(isList(under.schema.required) && isList(over.schema.required)
      ? { required: [...under.schema.required, ...over.schema.required] }
      : {}),
  };
  return { schema, base: over.base };
}

function both(keyword: string, a: SchemaObject, b: SchemaObject): SchemaObject {
  const [one, other] = [a[keyword], b[keyword]];
  return isObject(one) && isObject(other) ? { [keyword]: { ...one, ...other } } : {};
}
