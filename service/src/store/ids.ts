/** Identifiers. */

import { randomBytes } from "node:crypto";

/** A new identifier: a prefix such as `api_`, and 24 random hexadecimal digits. */
export function newId(kind: "acc" | "ws" | "api" | "key"): string {
  return `${kind}_${randomBytes(12).toString("hex")}`;
}
