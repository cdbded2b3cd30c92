/** Validates configuration by a JSON Schema. */

import type { JsonObject } from "../cel/json.js";
import { SchemaValidator } from "./validator.js";

/** Throws a `TypeError` with every fault of the value by a schema. `what` names the value. */
export function expectShape(what: string, schema: JsonObject, value: unknown): void {
  const faults = new SchemaValidator(new Map([["schema", schema]]), Number.POSITIVE_INFINITY).validate("schema", value);
  if (faults.length > 0) {
    throw new TypeError(`${what} is malformed: ${faults.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
  }
}
