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
// The schema is of draft 4. For everything that it uses, draft 7 differs only in the name `$id`.
const validate = ajv.compile({ ...schema, $id: id });

/** Parses a log, and expects it to be valid. */
export function sarifOf(text: string): Log {
  const log: unknown = JSON.parse(text);
  validate(log);
  expect(validate.errors ?? []).toEqual([]);
  return log as Log;
}
