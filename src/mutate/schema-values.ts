/** The values that the schemas of a policy set list for an attribute. */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { mapField, textField } from "../policy/read/fields.js";
import type { PolicyDocument } from "./policy-parts.js";

/** An attribute of a principal or a resource, as expressions spell it. */
const ATTRIBUTE = /^(?:request\.)?(P|principal|R|resource)\.attr\.([\w.]+)$/;

export class SchemaValues {
  private readonly schemas: ReadonlyMap<string, JsonValue>;

  /** `schemas`: documents by the references of policies. */
  constructor(schemas: ReadonlyMap<string, JsonValue>) {
    this.schemas = schemas;
  }

  /** The texts of the `enum` of an attribute, by the schemas of a document; of all, if the document names none. */
  of(term: string, document: PolicyDocument): readonly string[] {
    const [, subject = "", path = ""] = ATTRIBUTE.exec(term) ?? [];
    if (path === "") return [];
    const named = namedSchema(
      document,
      subject === "P" || subject === "principal" ? "principalSchema" : "resourceSchema",
    );
    const all = named === undefined ? [...this.schemas.values()] : [this.schemas.get(named)];
    return [...new Set(all.flatMap((schema) => enumAt(schema, path.split("."))))];
  }
}

function namedSchema({ body }: PolicyDocument, field: string): string | undefined {
  const schemas = mapField(body, "schemas");
  const use = schemas === undefined ? undefined : mapField(schemas, field);
  const ref = use === undefined ? "" : textField(use, "ref");
  return ref === "" ? undefined : ref.split("#", 1)[0];
}

function enumAt(schema: JsonValue | undefined, [name, ...path]: readonly string[]): readonly string[] {
  if (!isObject(schema) || isList(schema)) return [];
  if (name !== undefined) {
    const { properties } = schema;
    return isObject(properties) && !isList(properties) ? enumAt(properties[name], path) : [];
  }
  return isList(schema.enum) ? schema.enum.filter((value) => typeof value === "string") : [];
}
