/** Entity tags of keys and APIs (RFC 9110 §8.8.3): a view that differs in anything has another tag. */

import { hash } from "node:crypto";

export function etagOf(view: object): string {
  return `"${hash("sha256", JSON.stringify(view)).slice(0, 32)}"`;
}

/**
 * True if a field `If-Match` allows a change of the version with this tag. Weak tags match nothing (RFC 9110 §13.1.1), nor does a
 * malformed field.
 */
export function isMatch(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === "*") return true;
  const tags: readonly string[] = ifMatch.match(/(?:W\/)?"[\x21\x23-\x7e]*"/g) ?? [];
  return tags.includes(etag);
}
