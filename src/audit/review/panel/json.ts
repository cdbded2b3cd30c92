/** Requests as plain JSON, changed by path. Nothing is changed in place. */

import { isList, isObject, type JsonValue } from "../../../cel/json.js";

export function parseJson(text: string): JsonValue {
  return JSON.parse(text);
}

/** Sets the value at a path of `value`; undefined removes the field. Non-objects on the path become objects. */
export function changed(value: JsonValue | undefined, path: readonly string[], to: JsonValue | undefined): JsonValue {
  const [field, ...rest] = path;
  const fields = new Map(isObject(value) ? Object.entries(value) : []);
  if (field === undefined) return to ?? null;
  const inner = rest.length === 0 ? to : changed(fields.get(field), rest, to);
  if (inner === undefined) fields.delete(field);
  else fields.set(field, inner);
  return Object.fromEntries(fields);
}

export function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!isList(value)) return undefined;
  const found = value.filter((each) => typeof each === "string");
  return found.length === value.length ? found : undefined;
}
