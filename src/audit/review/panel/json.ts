/** Requests as plain JSON, changed by path. Nothing is changed in place. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function parseJson(text: string): Json {
  return JSON.parse(text);
}

export function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const field of path) found = isRecord(found) && Object.hasOwn(found, field) ? found[field] : undefined;
  return found;
}

/** `value` with another value at a path; undefined leaves the field out. What is no object on the way becomes one. */
export function changed(value: Json | undefined, path: readonly string[], to: Json | undefined): Json {
  const [field, ...rest] = path;
  const fields = new Map(isRecord(value) ? Object.entries(value) : []);
  if (field === undefined) return to ?? null;
  const inner = rest.length === 0 ? to : changed(fields.get(field), rest, to);
  if (inner === undefined) fields.delete(field);
  else fields.set(field, inner);
  return Object.fromEntries(fields);
}

export function textsOf(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts: readonly Json[] = value;
  const found = texts.filter((each) => typeof each === "string");
  return found.length === texts.length ? found : undefined;
}
