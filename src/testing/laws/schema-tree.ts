/** JSON Schemas as trees that can be walked: references followed, parts of `allOf` and of alternatives joined. */

import type { JsonValue } from "../../cel/json.js";
import { resolveReference } from "../../schema/references.js";
import { isJsonList, isJsonMap } from "./plain-request.js";

export type SchemaMap = { readonly [keyword: string]: JsonValue };

/** A schema, and the document it stands in, which its references are relative to. */
export interface SchemaNode {
  readonly schema: SchemaMap;
  readonly base: string;
}

/** References deeper than this are not followed: a schema can contain itself. */
const MAX_REFERENCES = 8;

export class SchemaTree {
  private readonly documents: ReadonlyMap<string, JsonValue>;

  /** `documents` has the schemas by reference: `cerbos:///key.json`. */
  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = documents;
  }

  /** The schema at a reference of a policy. What cannot be found says nothing. */
  at(ref: string): SchemaNode {
    const [base = ref, fragment = ""] = ref.split("#");
    return this.flat({ schema: asSchema(pointer(this.documents.get(base), fragment)), base });
  }

  /** The schema with its `$ref` and its `allOf` joined into it. */
  flat({ schema, base }: SchemaNode, depth = 0): SchemaNode {
    if (depth > MAX_REFERENCES) return { schema: {}, base };
    const { $ref, allOf, ...own } = schema;
    let node: SchemaNode = { schema: own, base };
    if (typeof $ref === "string") node = joined(this.flat(this.referred($ref, base), depth + 1), node);
    for (const part of isJsonList(allOf) ? allOf : []) {
      node = joined(this.flat({ schema: asSchema(part), base }, depth + 1), node);
    }
    return node;
  }

  /** The alternatives of `anyOf` and `oneOf`, each joined with the rest of the schema; the schema itself if none. */
  alternatives({ schema, base }: SchemaNode): readonly SchemaNode[] {
    const { anyOf, oneOf, ...rest } = schema;
    const listed = isJsonList(anyOf) ? anyOf : oneOf;
    if (!isJsonList(listed) || listed.length === 0) return [{ schema, base }];
    return listed.map((one) => joined(this.flat({ schema: asSchema(one), base }), { schema: rest, base }));
  }

  /** The schema of what is below a schema. */
  child(schema: JsonValue | undefined, { base }: SchemaNode): SchemaNode {
    return this.flat({ schema: asSchema(schema), base });
  }

  private referred(ref: string, base: string): SchemaNode {
    const [document = "", fragment = ""] = ref.split("#");
    const target = document === "" ? base : resolveReference(document, base);
    return { schema: asSchema(pointer(this.documents.get(target), fragment)), base: target };
  }
}

/** Both: what `over` says of a keyword wins, properties and required names are of both. */
function joined(under: SchemaNode, over: SchemaNode): SchemaNode {
  const schema: SchemaMap = {
    ...under.schema,
    ...over.schema,
    ...both("properties", under.schema, over.schema),
    ...both("$defs", under.schema, over.schema),
    ...(isJsonList(under.schema.required) && isJsonList(over.schema.required)
      ? { required: [...under.schema.required, ...over.schema.required] }
      : {}),
  };
  return { schema, base: Object.keys(over.schema).length === 0 ? under.base : over.base };
}

function both(keyword: string, a: SchemaMap, b: SchemaMap): SchemaMap {
  const [one, other] = [a[keyword], b[keyword]];
  return isJsonMap(one) && isJsonMap(other) ? { [keyword]: { ...one, ...other } } : {};
}

function asSchema(value: JsonValue | undefined): SchemaMap {
  return isJsonMap(value) ? value : {};
}

/** What a JSON pointer (the part of a reference after `#`) points to. */
function pointer(document: JsonValue | undefined, fragment: string): JsonValue | undefined {
  let value = document;
  for (const part of fragment.split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonList(value)) value = value[Number(name)];
    else value = isJsonMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
