/** What JSON Schemas say of one attribute: whether it is declared, whether it is always there, which values it can have. */

import { isObject, type JsonValue } from "../../../cel/json.js";
import { SchemaDocuments } from "../../../schema/documents.js";
import { isSchema, listOf, own, type Schema, type SchemaObject, valuesOf } from "../../../schema/keywords.js";

export interface Declared {
  /** `unknown`: the schema says nothing that can be followed here. */
  readonly declared: "yes" | "no" | "unknown";
  /** Every step of the path is required. */
  readonly required: boolean;
  /** The values that the schema allows, if it lists them. */
  readonly values: readonly JsonValue[] | undefined;
}

const MAX_STEPS = 64;

export class SchemaPaths {
  private readonly documents: SchemaDocuments;

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = new SchemaDocuments(documents);
  }

  /** `ref` is a policy's reference; `path` the fields below the attributes. */
  look(ref: string, path: readonly string[]): Declared {
    const start = this.documents.resolve(ref, undefined);
    let schemas = start === undefined ? undefined : this.parts(start);
    let required = true;
    for (const field of path) {
      if (schemas === undefined) return UNKNOWN;
      if (schemas.some((schema) => INDIRECT.some((keyword) => Object.hasOwn(schema, keyword)))) return UNKNOWN;
      required &&= schemas.some((schema) => listOf(schema, "required").includes(field));
      const next = schemas.flatMap((schema) => {
        const properties = own(schema, "properties");
        const property = isObject(properties) ? own(properties, field) : undefined;
        return isSchema(property) ? [property] : [];
      });
      const describes = schemas.some((schema) => Object.hasOwn(schema, "properties"));
      const open = schemas.some(
        (schema) => isObject(own(schema, "patternProperties")) || isObject(own(schema, "additionalProperties")),
      );
      if (next.length === 0) return describes && !open ? { ...UNKNOWN, declared: "no" } : UNKNOWN;
      schemas = next.flatMap((property) => this.parts(property));
    }
    const lists = (schemas ?? []).flatMap((schema) => valuesOf(schema) ?? []);
    return { declared: "yes", required, values: lists.length === 0 ? undefined : lists };
  }

  /** A schema with those that it refers to, and those that must hold as well. */
  private parts(start: Schema): readonly SchemaObject[] {
    const found: SchemaObject[] = [];
    const pending: Schema[] = [start];
    for (let next = pending.pop(); next !== undefined && found.length < MAX_STEPS; next = pending.pop()) {
      if (!isObject(next)) continue;
      found.push(next);
      const target = this.documents.referred(next);
      if (target !== undefined) pending.push(target);
      pending.push(...listOf(next, "allOf").filter(isSchema));
    }
    return found;
  }
}

const UNKNOWN: Declared = { declared: "unknown", required: false, values: undefined };

/** With these, what holds depends on the data. */
const INDIRECT = ["anyOf", "oneOf", "if", "$dynamicRef", "$recursiveRef", "dependentSchemas"];
