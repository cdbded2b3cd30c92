/** Objects of parsed JSON. */

import type { JsonMap } from "../cel/values.js";

export type JsonRecord = JsonMap;

/** True if a parsed JSON value is an object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
