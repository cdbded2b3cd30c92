/** JSON Schemas that refer to each other: finds the schema for a reference, and the draft that applies to it. */

import { isObject, type JsonValue } from "../cel/json.js";
import {
  appliedBy,
  appliedInPlaceBy,
  draftOf,
  isReferenceAlone,
  isSchema,
  LATEST,
  own,
  referencesOf,
  type Schema,
  type SchemaDraft,
  type SchemaObject,
  schemasIn,
} from "./keywords.js";
import { atPointer, decodedFragment, resolveReference, splitReference } from "./references.js";

/** A document, or a part of one with its own `$id`. */
export interface SchemaResource {
  readonly uri: string;
  /** The document that contains it. */
  readonly document: SchemaDocument;
  readonly root: Schema;
  readonly draft: SchemaDraft;
  readonly anchors: Map<string, SchemaObject>;
  readonly dynamicAnchors: Map<string, SchemaObject>;
  /** Caches resolved references: resolving an address takes longer than most other work with a schema. */
  readonly resolved: Map<string, Schema>;
}

/** A document by the address from which it was loaded. */
interface SchemaDocument {
  /** The document itself and its parts with an `$id`. References within the document find these first. */
  readonly resources: Map<string, SchemaResource>;
  /** An address that two parts claim. */
  duplicate: string | undefined;
}

export class SchemaDocuments {
  private readonly given: ReadonlyMap<string, JsonValue>;
  private readonly roots = new Map<string, SchemaResource>();
  private readonly owners = new Map<SchemaObject, SchemaResource>();
  /** Whether any schema indexed so far has `unevaluatedItems` or `unevaluatedProperties`. */
  unevaluated = false;

  /**
   * `given` has each document by its reference, such as `cerbos:///key.json`. It is read when a reference leads to it.
   */
  constructor(given: ReadonlyMap<string, JsonValue> = new Map()) {
    this.given = given;
  }

  /** Adds a document. Returns an address that two parts of it claim, which is a fault of the document. */
  add(uri: string, value: JsonValue): string | undefined {
    if (!isSchema(value)) return undefined;
    const document: SchemaDocument = { resources: new Map(), duplicate: undefined };
    const resource = newResource(uri, document, value, LATEST);
    this.roots.set(uri, resource);
    this.index(value, resource);
    return document.duplicate;
  }

  /** The resource that a schema belongs to. */
  resourceOf(schema: SchemaObject): SchemaResource | undefined {
    return this.owners.get(schema);
  }

  /** The schema that `reference` means in `from`; undefined if it does not exist. */
  resolve(reference: string, from: SchemaResource | undefined): Schema | undefined {
    const known = from?.resolved.get(reference);
    if (known !== undefined) return known;
    const found = this.find(reference, from);
    if (found !== undefined) from?.resolved.set(reference, found);
    return found;
  }

  private find(reference: string, from: SchemaResource | undefined): Schema | undefined {
    const [uri, hash] = addressed(reference, from);
    const resource = from?.document.resources.get(uri) ?? this.rootOf(uri);
    if (resource === undefined) return undefined;
    const fragment = decodedFragment(hash);
    if (fragment === "") return resource.root;
    return fragment.startsWith("/") ? this.at(fragment, resource) : resource.anchors.get(fragment);
  }

  /** The target of a schema's `$ref`; undefined if it has no `$ref`, or if the target does not exist. */
  referred(schema: SchemaObject): Schema | undefined {
    const reference = own(schema, "$ref");
    return typeof reference === "string" ? this.resolve(reference, this.resourceOf(schema)) : undefined;
  }

  /** The schema at the end of a chain of `$ref`s; a schema without `$ref` is returned as it is. */
  followed(schema: Schema | undefined): SchemaObject | undefined {
    const passed = new Set<SchemaObject>();
    let last = schema;
    while (isObject(last) && Object.hasOwn(last, "$ref") && !passed.has(last)) {
      passed.add(last);
      last = this.referred(last);
    }
    return isObject(last) && !passed.has(last) ? last : undefined;
  }

  /** The address of the document that `reference` leads to; undefined if it stays in the document of `from`. */
  documentOf(reference: string, from: SchemaResource): string | undefined {
    const [uri] = addressed(reference, from);
    return uri === from.uri || from.document.resources.has(uri) ? undefined : uri;
  }

  /** The references of a schema, and the schemas in it that are applied without a reference: not its definitions. */
  usesOf(schema: SchemaObject): { readonly references: readonly string[]; readonly applied: readonly Schema[] } {
    return { references: referencesOf(schema), applied: appliedBy(schema, this.draftOf(schema)) };
  }

  /**
   * Finds a schema in `schemas` that applies itself to the same value again, so that no validation would end. `schemas`
   * must be all schemas that a validation can reach.
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
          done.add(top.schema);
        } else if (enter(value)) return top.schema;
      }
    }
    return undefined;
  }

  /** The schemas that a schema applies to the same value, by reference or by keyword. */
  private inPlace(schema: SchemaObject): readonly Schema[] {
    const resource = this.owners.get(schema);
    const targets = referencesOf(schema).map((each) => this.resolve(each, resource));
    return [...targets.filter((each) => each !== undefined), ...appliedInPlaceBy(schema, this.draftOf(schema))];
  }

  private draftOf(schema: SchemaObject): SchemaDraft {
    return this.owners.get(schema)?.draft ?? LATEST;
  }

  private rootOf(uri: string): SchemaResource | undefined {
    const document = this.roots.has(uri) ? undefined : this.given.get(uri);
    if (document !== undefined) this.add(uri, document);
    return this.roots.get(uri);
  }

  private at(pointer: string, resource: SchemaResource): Schema | undefined {
    const value = atPointer(pointer, resource.root);
    if (!isSchema(value)) return undefined;
    // A reference may lead to a place that no keyword holds, and that was not indexed.
    this.index(value, resource);
    return value;
  }

  private index(schema: Schema, outer: SchemaResource): void {
    if (typeof schema === "boolean" || this.owners.has(schema)) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    let resource = outer;
    if (typeof $id === "string" && $id.startsWith("#")) outer.anchors.set($id.slice(1), schema);
    else if (typeof $id === "string" && !isReferenceAlone(schema, outer.draft)) {
      const [uri] = splitReference(resolveReference($id, outer.uri));
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
    for (const inner of schemasIn(schema)) this.index(inner, resource);
  }
}

function newResource(uri: string, document: SchemaDocument, root: Schema, outerDraft: SchemaDraft): SchemaResource {
  const name = typeof root === "boolean" ? undefined : own(root, "$schema");
  const draft = typeof name === "string" ? draftOf(name) : outerDraft;
  return { uri, document, root, draft, anchors: new Map(), dynamicAnchors: new Map(), resolved: new Map() };
}

/** The absolute address of a reference, and its fragment. */
function addressed(reference: string, from: SchemaResource | undefined): readonly [uri: string, fragment: string] {
  return splitReference(from === undefined ? reference : resolveReference(reference, from.uri));
}
