/** What JSON Schemas say of one attribute: whether it is declared, whether it is always there, which values it can have. */

import type { JsonValue } from "../../../cel/json.js";

export interface Declared {
  /** `unknown`: the schema says nothing that can be followed here. */
  readonly declared: "yes" | "no" | "unknown";
  /** Every step of the path is required. */
  readonly required: boolean;
  /** The values that the schema allows, if it lists them. */
  readonly values: readonly JsonValue[] | undefined;
}

type SchemaObject = { readonly [keyword: string]: JsonValue };

const MAX_STEPS = 64;

export class SchemaPaths {
  private readonly documents: ReadonlyMap<string, JsonValue>;

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = documents;
  }

  /** `ref` is a policy's reference; `path` the fields below the attributes. */
  look(ref: string, path: readonly string[]): Declared {
    const [document = ref] = ref.split("#");
    const start = this.resolve(ref, document);
    let schemas = start === undefined ? undefined : this.parts(start, document);
    let required = true;
    for (const field of path) {
      if (schemas === undefined) return UNKNOWN;
      if (schemas.some(({ schema }) => INDIRECT.some((keyword) => Object.hasOwn(schema, keyword)))) return UNKNOWN;
      required &&= schemas.some(({ schema }) => listOf(schema.required).includes(field));
      const next = schemas.flatMap(({ schema, base }) => {
        const property = member(schema.properties, field);
        return property === undefined ? [] : [{ property, base }];
      });
      const describes = schemas.some(({ schema }) => Object.hasOwn(schema, "properties"));
      const open = schemas.some(
        ({ schema }) => isObject(schema.patternProperties) || isObject(schema.additionalProperties),
      );
      if (next.length === 0) return describes && !open ? { ...UNKNOWN, declared: "no" } : UNKNOWN;
      schemas = next.flatMap(({ property, base }) => this.parts(property, base));
    }
    const lists = (schemas ?? []).flatMap(({ schema }) => valuesOf(schema) ?? []);
    return { declared: "yes", required, values: lists.length === 0 ? undefined : lists };
  }

  /** A schema with those that it refers to, and those that must hold as well. */
  private parts(start: JsonValue, from: string): readonly { readonly schema: SchemaObject; readonly base: string }[] {
    const found: { schema: SchemaObject; base: string }[] = [];
    const pending: { value: JsonValue | undefined; base: string }[] = [{ value: start, base: from }];
    for (let next = pending.pop(); next !== undefined && found.length < MAX_STEPS; next = pending.pop()) {
      const { value, base } = next;
      if (!isObject(value)) continue;
      found.push({ schema: value, base });
      const { $ref, allOf } = value;
      if (typeof $ref === "string") {
        const target = absolute($ref, base);
        pending.push({ value: this.resolve(target, base), base: target.split("#")[0] ?? base });
      }
      if (isList(allOf)) for (const each of allOf) pending.push({ value: each, base });
    }
    return found;
  }

  private resolve(ref: string, base: string): JsonValue | undefined {
    const [document = "", fragment = ""] = ref.split("#");
    let value = this.documents.get(document === "" ? base : document);
    for (const token of fragment.split("/").slice(1)) {
      value = member(value, decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
    }
    return value;
  }
}

const UNKNOWN: Declared = { declared: "unknown", required: false, values: undefined };

/** With these, what holds depends on the data. */
const INDIRECT = ["anyOf", "oneOf", "if", "$dynamicRef", "$recursiveRef", "dependentSchemas"];

function valuesOf(schema: SchemaObject): readonly JsonValue[] | undefined {
  if (isList(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

/** `other.json#/x` next to `cerbos:///dir/this.json` is `cerbos:///dir/other.json#/x`. */
function absolute(ref: string, base: string): string {
  if (ref.startsWith("#")) return base + ref;
  if (/^[a-z][a-z+.-]*:/i.test(ref)) return ref;
  return base.slice(0, ref.startsWith("/") ? base.indexOf("///") + 2 : base.lastIndexOf("/") + 1) + ref;
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

export function isObject(value: JsonValue | undefined): value is SchemaObject {
  return typeof value === "object" && value !== null && !isList(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
