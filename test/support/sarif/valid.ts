/** The schema of SARIF 2.1.0. */

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import type { Log } from "sarif";
import { expect } from "vitest";

const {
  $schema: _,
  id,
  ...schema
} = JSON.parse(readFileSync(new URL("./sarif-2.1.0-rtm.5.json", import.meta.url), "utf8"));
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
// It is of draft 4, of which it uses nothing that draft 7 reads otherwise but the name of `$id`.
const validate = ajv.compile({ ...schema, $id: id });

/** A log that the schema accepts. */
export function sarifOf(text: string): Log {
  const log: unknown = JSON.parse(text);
  validate(log);
  expect(validate.errors ?? []).toEqual([]);
  return log as Log;
}
