/** JSON as a text that is the same for objects with the same members, in any order. */

import { isList, isObject, type JsonValue } from "./json.js";

export function canonicalText(value: JsonValue): string {
  if (isList(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`).join()}}`;
}
