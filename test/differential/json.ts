/** Documents and messages as plain JSON. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that is an object; an empty one if there is none. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isObject(member) ? member : {};
}

/** A member that is a list; an empty one if there is none. */
export function listAt(value: JsonObject, key: string): Json[] {
  const member = value[key];
  return Array.isArray(member) ? member : [];
}

export function textAt(value: JsonObject, key: string): string {
  const member = value[key];
  return typeof member === "string" ? member : "";
}

/** JSON text in which equal values are equal texts. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}
