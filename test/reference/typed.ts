/**
 * Typed reads as in docs/verdicts.md: reading an attribute with the wrong type, or with a value outside the schema's
 * enum, is an error. Here such a value becomes an error when it is converted, and its containers are marked. Only the
 * keywords of generated and shipped schemas are supported: `type`, `enum`, `properties`, `items`, local `$ref`.
 */

import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../src/cel/json.js";
import type { Named } from "./documents.js";
import { error, fromJson, string, type Val } from "./values.js";

type Schema = Named<JsonValue>;

/** A JSON value, as a schema declares it. */
export function typedValue(value: unknown, schema: Schema | undefined, root: Schema): Val {
  if (schema === undefined) return fromJson(value);
  const { $ref, type, enum: values } = schema;
  if (typeof $ref === "string") return typedValue(value, referred($ref, root), root);
  if (Array.isArray(values) && !values.some((one) => isDeepStrictEqual(one, value))) return MISFIT;
  if (type !== undefined && ![type].flat().some((one) => isOf(value, one))) return MISFIT;
  if (Array.isArray(value)) {
    const items = value.map((item) => typedValue(item, below(schema.items), root));
    return { t: "list", v: items, misfit: items.some(isMisfit) };
  }
  return isMap(value) ? typedMap(value, schema, root) : fromJson(value);
}

export function typedMap(value: object, schema: Schema | undefined, root: Schema): Val {
  const properties = below(schema?.properties) ?? {};
  const entries = Object.entries(value).filter(([, v]) => v !== undefined);
  const members = entries.map(([name, v]): readonly [Val, Val] => {
    const declared = Object.hasOwn(properties, name) ? below(properties[name]) : undefined;
    return [string(name), typedValue(v, declared, root)];
  });
  return { t: "map", v: members, misfit: members.some(([, member]) => isMisfit(member)) };
}

const MISFIT = error("not as declared");

function isMisfit(val: Val): boolean {
  return val === MISFIT || ((val.t === "list" || val.t === "map") && val.misfit === true);
}

/** A value that is read with all its nested values. */
export function asWhole(val: Val): Val {
  return isMisfit(val) ? MISFIT : val;
}

function isOf(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isMap(value);
    default:
      return typeof value === type;
  }
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function below(schema: unknown): Schema | undefined {
  return isMap(schema) ? (schema as Schema) : undefined;
}

function referred(ref: string, root: Schema): Schema | undefined {
  const path = ref.split("/").slice(1);
  return below(path.reduce<unknown>((at, name) => below(at)?.[name], root));
}
