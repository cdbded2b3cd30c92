/**
 * Converts `google.protobuf.Value` to and from JSON. Objects have no prototype, so that a key `__proto__` is an ordinary
 * key.
 */

import { create } from "@bufbuild/protobuf";
import { ListValueSchema, NullValue, StructSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { isList, type JsonObject, type JsonValue } from "../cel/json.js";
import type { JsonMap } from "../cel/values.js";

function fromValue({ kind }: Value): JsonValue {
  switch (kind.case) {
    case "numberValue":
    case "stringValue":
    case "boolValue":
      return kind.value;
    case "listValue":
      return kind.value.values.map(fromValue);
    case "structValue":
      return fromFields(kind.value.fields);
    default:
      return null;
  }
}

/** Attributes, or the fields of a struct. */
export function fromFields(fields: { readonly [key: string]: Value }): { readonly [key: string]: JsonValue } & JsonMap {
  const json: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, value] of Object.entries(fields)) json[key] = fromValue(value);
  return json;
}

export function toValue(json: JsonValue): Value {
  if (json === null) return create(ValueSchema, { kind: { case: "nullValue", value: NullValue.NULL_VALUE } });
  switch (typeof json) {
    case "number":
      return create(ValueSchema, { kind: { case: "numberValue", value: json } });
    case "string":
      return create(ValueSchema, { kind: { case: "stringValue", value: json } });
    case "boolean":
      return create(ValueSchema, { kind: { case: "boolValue", value: json } });
    default:
      return toComposite(json);
  }
}

function toComposite(json: readonly JsonValue[] | JsonObject): Value {
  if (isList(json)) {
    const value = create(ListValueSchema, { values: json.map(toValue) });
    return create(ValueSchema, { kind: { case: "listValue", value } });
  }
  const fields: { [key: string]: Value } = Object.create(null);
  for (const [key, value] of Object.entries(json)) fields[key] = toValue(value);
  return create(ValueSchema, { kind: { case: "structValue", value: create(StructSchema, { fields }) } });
}
