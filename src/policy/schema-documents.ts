/** JSON Schemas that refer to each other: which schema a reference means, and by which draft it is read. */

import type { JsonValue } from "./model.js";

export type SchemaObject = { readonly [keyword: string]: JsonValue };
export type Schema = boolean | SchemaObject;

/** What holds for every schema of a document, or of a part of it with an `$id` of its own. */
export interface Resource {
  readonly uri: string;
  /** The document that it is in. */
  readonly document: Document;
  readonly root: Schema;
  /** 7, 2019 or 2020. */
  readonly draft: number;
  readonly anchors: Map<string, SchemaObject>;
  readonly dynamicAnchors: Map<string, SchemaObject>;
}

/** What is known by the address that it was loaded from. */
interface Document {
  /** The parts that have an `$id`, and the document itself. They are found from this document alone, before others. */
  readonly resources: Map<string, Resource>;
  /** An address that two parts claim. */
  duplicate: string | undefined;
}

/** Keywords that hold a schema, or a list of them. */
const SCHEMAS = [
  ...["additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items"],
  ...["not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"],
];

/** Those of them whose schemas are for the value itself, not for a part of it. */
const IN_PLACE = ["allOf", "anyOf", "else", "if", "not", "oneOf", "then"];
const IN_PLACE_MAPS = ["dependencies", "dependentSchemas"];

/** Keywords that hold schemas by name. */
const APPLIED_MAPS = ["dependencies", "dependentSchemas", "patternProperties", "properties"];
const MAPS = ["$defs", "definitions", ...APPLIED_MAPS];

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

export class SchemaDocuments {
  private readonly roots = new Map<string, Resource>();
  private readonly owners = new Map<SchemaObject, Resource>();
  /** Whether any schema asks what other schemas have left unevaluated. */
  unevaluated = false;

  /** `documents` has each by its reference, such as `cerbos:///key.json`. */
  constructor(documents: ReadonlyMap<string, JsonValue> = new Map()) {
    for (const [uri, document] of documents) this.add(uri, document);
  }

  /** Adds a document; an address that two parts of it claim is its fault, and returned. */
  add(uri: string, value: JsonValue): string | undefined {
    if (!isSchema(value)) return undefined;
    const document: Document = { resources: new Map(), duplicate: undefined };
    const resource = newResource(uri, document, value, 2020);
    this.roots.set(uri, resource);
    this.index(value, resource);
    return document.duplicate;
  }

  /** The resource that a schema belongs to. */
  resourceOf(schema: SchemaObject): Resource | undefined {
    return this.owners.get(schema);
  }

  /** What `reference` means in `from`; undefined if there is no such schema. */
  resolve(reference: string, from: Resource | undefined): Schema | undefined {
    const [uri, hash] = addressed(reference, from);
    const resource = from?.document.resources.get(uri) ?? this.roots.get(uri);
    if (resource === undefined) return undefined;
    const fragment = decoded(hash);
    if (fragment === "") return resource.root;
    return fragment.startsWith("/") ? this.at(fragment, resource) : resource.anchors.get(fragment);
  }

  /** The address of the document that `reference` leads to; undefined if it stays in that of `from`. */
  documentOf(reference: string, from: Resource): string | undefined {
    const [uri] = addressed(reference, from);
    return uri === from.uri || from.document.resources.has(uri) ? undefined : uri;
  }

  /** The references of a schema, and the schemas in it that are applied without one: not its definitions. */
  usesOf(schema: SchemaObject): { readonly references: readonly string[]; readonly applied: readonly Schema[] } {
    const draft = this.owners.get(schema)?.draft ?? 2020;
    const references = REFERENCES.flatMap((keyword) => {
      const reference = own(schema, keyword);
      return typeof reference === "string" ? [reference] : [];
    });
    if (draft < 2019 && Object.hasOwn(schema, "$ref")) return { references, applied: [] };
    return { references, applied: schemasAt(schema, draft, SCHEMAS, APPLIED_MAPS) };
  }

  /**
   * A schema of `schemas` that comes back to itself for the same value, which no validation would come to the end of.
   * `schemas` are all that a validation can come to.
   */
  endless(schemas: Iterable<Schema>): SchemaObject | undefined {
    const done = new Set<SchemaObject>();
    for (const start of schemas) {
      const path: { readonly schema: SchemaObject; readonly next: Iterator<Schema> }[] = [];
      const open = new Set<SchemaObject>();
      const enter = (schema: Schema): boolean => {
        if (typeof schema === "boolean" || done.has(schema)) return false;
        if (open.has(schema)) return true;
        open.add(schema);
        path.push({ schema, next: this.inPlace(schema)[Symbol.iterator]() });
        return false;
      };
      enter(start);
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const { value, done: last } = top.next.next();
        if (last === true) {
          path.pop();
          open.delete(top.schema);
          done.add(top.schema);
        } else if (enter(value)) return top.schema;
      }
    }
    return undefined;
  }

  /** The schemas that a schema applies to the same value, by reference or by keyword. */
  private inPlace(schema: SchemaObject): readonly Schema[] {
    const resource = this.owners.get(schema);
    const { references } = this.usesOf(schema);
    const targets = references.map((each) => this.resolve(each, resource)).filter((each) => each !== undefined);
    const draft = resource?.draft ?? 2020;
    if (draft < 2019 && Object.hasOwn(schema, "$ref")) return targets;
    return [...targets, ...schemasAt(schema, draft, IN_PLACE, IN_PLACE_MAPS)];
  }

  private at(pointer: string, resource: Resource): Schema | undefined {
    let value: JsonValue | undefined = resource.root;
    for (const token of pointer.slice(1).split("/")) {
      value = member(value, token.replaceAll("~1", "/").replaceAll("~0", "~"));
    }
    if (!isSchema(value)) return undefined;
    // A reference may go where no keyword does.
    if (typeof value !== "boolean" && !this.owners.has(value)) this.index(value, resource);
    return value;
  }

  private index(schema: Schema, outer: Resource): void {
    if (typeof schema === "boolean" || this.owners.has(schema)) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    let resource = outer;
    if (typeof $id === "string" && $id.startsWith("#")) outer.anchors.set($id.slice(1), schema);
    else if (typeof $id === "string" && (outer.draft >= 2019 || !Object.hasOwn(schema, "$ref"))) {
      const [uri = ""] = resolveReference($id, outer.uri).split("#");
      const { document } = outer;
      resource = newResource(uri, document, schema, outer.draft);
      if (document.resources.has(uri)) document.duplicate = uri;
      else document.resources.set(uri, resource);
    }
    this.owners.set(schema, resource);
    if (typeof $anchor === "string") resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") {
      resource.anchors.set($dynamicAnchor, schema);
      resource.dynamicAnchors.set($dynamicAnchor, schema);
    }
    if (Object.hasOwn(schema, "unevaluatedItems") || Object.hasOwn(schema, "unevaluatedProperties")) {
      this.unevaluated = true;
    }
    for (const keyword of SCHEMAS) this.indexAll(own(schema, keyword), resource);
    for (const keyword of MAPS) {
      const map = own(schema, keyword);
      if (isObject(map)) for (const inner of Object.values(map)) this.indexAll(inner, resource);
    }
  }

  private indexAll(value: JsonValue | undefined, resource: Resource): void {
    if (isList(value)) for (const item of value) this.indexAll(item, resource);
    else if (isSchema(value)) this.index(value, resource);
  }
}

/** The drafts that brought keywords. */
const SINCE: ReadonlyMap<string, number> = new Map([
  ["contentSchema", 2019],
  ["dependentSchemas", 2019],
  ["prefixItems", 2020],
  ["unevaluatedItems", 2019],
  ["unevaluatedProperties", 2019],
]);

/** The schemas that these keywords hold in a draft, each one or a list of them, or by name. */
function schemasAt(
  schema: SchemaObject,
  draft: number,
  keywords: readonly string[],
  maps: readonly string[],
): readonly Schema[] {
  const values: (JsonValue | undefined)[] = [];
  const holds = (keyword: string) =>
    (SINCE.get(keyword) ?? 0) <= draft && ((keyword !== "then" && keyword !== "else") || Object.hasOwn(schema, "if"));
  for (const keyword of keywords) if (holds(keyword)) values.push(own(schema, keyword));
  for (const keyword of maps) {
    const map = holds(keyword) ? own(schema, keyword) : undefined;
    if (isObject(map)) values.push(...Object.values(map));
  }
  const schemas: Schema[] = [];
  for (const value of values) {
    if (isList(value)) schemas.push(...value.filter((item) => isSchema(item)));
    else if (isSchema(value)) schemas.push(value);
  }
  return schemas;
}

function newResource(uri: string, document: Document, root: Schema, outerDraft: number): Resource {
  const draft = draftOf(root) ?? outerDraft;
  return { uri, document, root, draft, anchors: new Map(), dynamicAnchors: new Map() };
}

/** A reference's absolute address, and its fragment. */
function addressed(reference: string, from: Resource | undefined): readonly [uri: string, fragment: string] {
  const uri = from === undefined ? reference : resolveReference(reference, from.uri);
  const hash = uri.indexOf("#");
  return hash < 0 ? [uri, ""] : [uri.slice(0, hash), uri.slice(hash + 1)];
}

function draftOf(schema: Schema): number | undefined {
  const name = typeof schema === "boolean" ? undefined : own(schema, "$schema");
  if (typeof name !== "string") return undefined;
  if (name.includes("draft-07")) return 7;
  return name.includes("2019-09") ? 2019 : 2020;
}

/** The empty base of a reference such as `cerbos:///dir/key.json`: WHATWG's URLs know no relative paths in it. */
const STAND_IN = "http://keyward.invalid/";

/** The absolute address that a reference means in a document at `base`. */
export function resolveReference(reference: string, base: string): string {
  const [, root = "", path = ""] = /^([a-z][a-z0-9+.-]*:\/\/\/)(.*)$/is.exec(base) ?? [];
  try {
    if (root === "") return new URL(reference, base).href;
    const { href } = new URL(reference, STAND_IN + path);
    return href.startsWith(STAND_IN) ? root + href.slice(STAND_IN.length) : href;
  } catch {
    return reference;
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (isList(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) ? own(value, name) : undefined;
}

/** An own property: nothing inherited is a keyword. */
export function own(schema: SchemaObject, keyword: string): JsonValue | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

export function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === "boolean" || isObject(value);
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}
