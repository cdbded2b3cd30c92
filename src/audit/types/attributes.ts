/**
 * Types of attributes from their JSON Schemas. A type accepts every value that its schema accepts, and as few others as
 * TypeScript can express. Constraints that only data can show (`if`, `not`, `pattern`, bounds) are not in the type.
 */

import { isObject, type JsonValue } from "../../cel/json.js";
import { SchemaDocuments } from "../../schema/documents.js";
import {
  isReferenceAlone,
  isSchema,
  listOf,
  own,
  type Schema,
  type SchemaObject,
  typesOf,
  valuesOf,
} from "../../schema/keywords.js";
import { isOfType } from "../../schema/values.js";
import {
  commentOf,
  declaration,
  intersectionOf,
  literalType,
  type Member,
  NEVER,
  type Type,
  text,
  UNKNOWN,
  unionOf,
} from "./typescript.js";

/** The types of attributes that policies refer to, each declared once and called by its schema's file. */
export class AttributeTypes {
  /** Is {@link anything} used? */
  hasAnything = false;
  private readonly documents: SchemaDocuments;
  /** By reference. */
  private readonly known = new Map<string, Type>();
  private readonly names = new Set<string>(RESERVED);
  private readonly declared = new Map<string, string>();
  /** The schemas that are declared by a name: those at references of policies, and those that contain themselves. */
  private readonly named = new Map<SchemaObject, string>();
  /** The schemas that are being read. */
  private readonly open = new Set<SchemaObject>();

  /** `documents` has the schemas by reference: `cerbos:///key.json`. */
  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = new SchemaDocuments(documents);
  }

  /** Attributes without a declaration: any object. The module must import the name. */
  anything(): Type {
    this.hasAnything = true;
    return text("Attributes");
  }

  /** The type of the attributes that the schema at `ref` describes. */
  at(ref: string): Type {
    const known = this.known.get(ref);
    if (known !== undefined) return known;
    const schema = this.documents.resolve(ref, undefined);
    // Attributes are always an object, even if the schema does not say so.
    const type = isObject(schema) ? this.rootType(schema, lastPart(ref)) : this.anything();
    this.known.set(ref, type);
    return type;
  }

  private rootType(schema: SchemaObject, file: string): Type {
    const name = this.named.get(schema);
    if (name !== undefined) return text(name);
    this.named.set(schema, this.newName(`${pascalCase(file)}Attributes`));
    return this.typeOf(schema);
  }

  /** The declarations made so far, sorted by name. */
  declarations(): readonly string[] {
    return [...this.declared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  /** `called`: the name of the schema in its reference. */
  private typeOf(schema: Schema | undefined, called = "nested"): Type {
    if (schema === undefined || schema === true) return UNKNOWN;
    if (schema === false) return NEVER;
    if (this.open.has(schema)) {
      const name = this.named.get(schema) ?? this.newName(pascalCase(called));
      this.named.set(schema, name);
      return text(name);
    }
    this.open.add(schema);
    const type = this.typeOfParts(schema);
    this.open.delete(schema);
    const name = this.named.get(schema);
    if (name === undefined) return type;
    const comment = commentOf([schema.title, schema.description]);
    this.declared.set(name, declaration(name, type === UNKNOWN ? this.anything() : type, comment));
    return text(name);
  }

  /** The intersection of all keywords of a schema. */
  private typeOfParts(schema: SchemaObject): Type {
    const { $ref } = schema;
    const resource = this.documents.resourceOf(schema);
    const target =
      typeof $ref === "string" ? [this.typeOf(this.documents.resolve($ref, resource), lastPart($ref))] : [];
    if (isReferenceAlone(schema, resource?.draft ?? 2020)) return intersectionOf(target);
    const all = listOf(schema, "allOf").map((one) => this.typeAt(one));
    const some = ["anyOf", "oneOf"].flatMap((keyword) => {
      const alternatives = listOf(schema, keyword);
      return alternatives.length === 0 ? [] : [unionOf(alternatives.map((one) => this.typeAt(one)))];
    });
    return intersectionOf([...target, ...all, this.ownType(schema), ...some]);
  }

  /** The type from a schema's own keywords. Without `type`, the keywords imply it. */
  private ownType(schema: SchemaObject): Type {
    const types = typesOf(schema);
    const values = valuesOf(schema);
    if (values !== undefined) {
      return unionOf(
        values.filter((value) => types.length === 0 || types.some((type) => isOfType(value, type))).map(literalType),
      );
    }
    if (types.length > 0) return unionOf(types.map((type) => this.typeOfSort(type, schema)));
    if (OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))) return this.objectType(schema);
    return LIST_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword)) ? this.listType(schema) : UNKNOWN;
  }

  private typeOfSort(type: string, schema: SchemaObject): Type {
    switch (type) {
      case "object":
        return this.objectType(schema);
      case "array":
        return this.listType(schema);
      case "integer":
        return text("number");
      case "boolean":
      case "null":
      case "number":
      case "string":
        return text(type);
      default:
        return UNKNOWN;
    }
  }

  /**
   * An object with the attributes that are declared or required. Others have no place in it, whether or not the schema
   * allows them: TypeScript then finds those that are misspelt, in a literal, and accepts them in a row of another type.
   */
  private objectType(schema: SchemaObject): Type {
    const properties = own(schema, "properties");
    const declared = isObject(properties) ? properties : {};
    const required = listOf(schema, "required").filter((name) => typeof name === "string");
    const names = [...new Set([...Object.keys(declared), ...required])];
    if (names.length === 0) return this.mapType(schema);
    const members = names.map((name): Member => {
      const property = own(declared, name);
      return {
        name,
        type: this.typeAt(property),
        optional: !required.includes(name),
        comment: isObject(property) ? commentOf([property.title, property.description]) : undefined,
      };
    });
    return { kind: "object", members };
  }

  private mapType(schema: SchemaObject): Type {
    const patterns = own(schema, "patternProperties");
    const additional = own(schema, "additionalProperties");
    const named = isObject(patterns) ? Object.values(patterns).map((one) => this.typeAt(one)) : [];
    const value = unionOf([...named, additional === undefined ? UNKNOWN : this.typeAt(additional)]);
    return value === UNKNOWN ? this.anything() : { kind: "map", value };
  }

  private listType(schema: SchemaObject): Type {
    const { items, prefixItems, additionalItems, minItems } = schema;
    const isOlder = Array.isArray(items);
    const first = isOlder ? listOf(schema, "items") : listOf({ prefixItems: prefixItems ?? [] }, "prefixItems");
    const rest = this.typeAt(isOlder ? additionalItems : items);
    if (first.length === 0) return { kind: "list", item: rest };
    const needed = typeof minItems === "number" ? Math.min(minItems, first.length) : 0;
    return { kind: "tuple", items: first.map((one) => this.typeAt(one)), needed, rest };
  }

  private typeAt(value: JsonValue | undefined): Type {
    return this.typeOf(isSchema(value) ? value : undefined);
  }

  private newName(wanted: string): string {
    let name = wanted;
    for (let i = 2; this.names.has(name); i++) name = `${wanted}${i}`;
    this.names.add(name);
    return name;
  }
}

/** Names that the module already uses. */
const RESERVED = ["Attributes", "Policies", "Reads"];

const OBJECT_KEYWORDS = ["properties", "required", "additionalProperties", "patternProperties"];
const LIST_KEYWORDS = ["items", "prefixItems"];

/** Of `cerbos:///a/key_resource.json` it is `key_resource`, and of `cerbos:///a.json#/$defs/b`, `b`. */
function lastPart(ref: string): string {
  const last = ref.split(/[/#]/).findLast((part) => part !== "") ?? "";
  return last.replace(/\.json$/, "");
}

/** The words of a name as one, each with a capital letter; one that no digit begins. */
function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(joined) ? joined : `T${joined}`;
}
