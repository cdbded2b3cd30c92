export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that is an object, or an empty object. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isObject(member) ? member : {};
}

/** A member that is a list, or an empty list. */
export function listAt(value: JsonObject, key: string): Json[] {
  const member = value[key];
  return Array.isArray(member) ? member : [];
}

export function textAt(value: JsonObject, key: string): string {
  const member = value[key];
  return typeof member === "string" ? member : "";
}

/** JSON text in a canonical form: equal values have equal texts. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}
