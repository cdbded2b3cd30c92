/** JSON Schemas as requests are held to them. */

import { expect, test } from "vitest";
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
