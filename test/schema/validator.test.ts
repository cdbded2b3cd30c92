/** Validates values by JSON Schemas. */

import { expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { withoutArguments } from "../../src/schema/go-text.js";
import { SchemaValidator } from "../../src/schema/validator.js";

test("each pattern is its own, also beside those of the meta-schema", () => {
  const properties = { a: { pattern: "^[ab]+$" }, b: { pattern: "^#[0-9]$" }, c: { pattern: "^[ab]+$" } };
  const validator = new SchemaValidator(new Map([["cerbos:///x.json", { properties }]]));
  const accepted = (value: object) => validator.validate("cerbos:///x.json", value).length === 0;
  expect(accepted({ a: "ab", b: "#1", c: "b" })).toBe(true);
  expect(accepted({ a: "#1" })).toBe(false);
  expect(accepted({ a: "x" })).toBe(false);
  expect(accepted({ b: "ab" })).toBe(false);
  expect(accepted({ c: "#1" })).toBe(false);
});

test.each([
  ["100%", "100%!(NOVERB)"],
  ["100%%", "100%"],
  ["%d and %-5.2f", "%!d(MISSING) and %!f(MISSING)"],
  ["% ", "%!(NOVERB)"],
  ["%é%", "%!é(MISSING)%!(NOVERB)"],
])("%j without arguments is %j", (text, formatted) => {
  expect(withoutArguments(text)).toBe(formatted);
});

test.each<[schema: JsonValue, value: JsonValue, faults: readonly string[]]>([
  [{ contentEncoding: "base64" }, "a\r\nGk=\n", []],
  [{ contentEncoding: "base64" }, "aGk\t=", ["/ value is not base64 encoded"]],
  [{ format: "uri-template" }, "\u0001", ["/ '\\x01' is not valid 'uri-template'"]],
  [{ format: "uri-template" }, "a{b", ["/ 'a{b' is not valid 'uri-template'"]],
  [{ format: "uri-reference" }, "//[///", ["/ '//[///' is not valid 'uri-reference'"]],
  [{ format: "uri-reference" }, "///[", []],
  [{ unevaluatedProperties: false, allOf: [{ unevaluatedItems: false }] }, { a: 1 }, ["/a not allowed"]],
  [{ unevaluatedItems: false, allOf: [{ unevaluatedProperties: false }] }, [1], ["/0 not allowed"]],
  [JSON.parse('{ "allOf": [true], "then": { "type": "string" }, "else": { "type": "string" } }'), 1, []],
  [JSON.parse('{ "if": true, "then": { "type": "string" } }'), 1, ["/ expected string, but got number"]],
])("the faults by %j of %j", (schema, value, faults) => {
  const validator = new SchemaValidator(new Map([["cerbos:///x.json", schema]]));
  const found = validator.validate("cerbos:///x.json", value).map(({ path, message }) => `${path} ${message}`);
  expect(found).toEqual(faults);
});
