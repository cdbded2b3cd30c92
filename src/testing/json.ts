/** Reads fields of JSON data. Absent fields read as empty values; shapes are checked elsewhere. */

import { isList, isObject, type JsonObject } from "../cel/json.js";

export function textOrEmpty(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

export function flagOf(object: JsonObject, name: string): boolean {
  return object[name] === true;
}

/** The strings of a list. */
export function textsOf(object: JsonObject, name: string): readonly string[] {
  const value = object[name];
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The objects of a list. */
export function objectsOf(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  return isList(value) ? value.filter(isObject) : [];
}

export function objectOf(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isObject(value) ? value : undefined;
}

/** The object-valued members of an object, each converted by `make`. */
export function membersOf<T>(
  object: JsonObject,
  name: string,
  make: (member: JsonObject) => T,
): ReadonlyMap<string, T> {
  const members = Object.entries(objectOf(object, name) ?? {});
  return new Map(members.flatMap(([key, value]) => (isObject(value) ? [[key, make(value)]] : [])));
}
