/** JSON Schemas as requests are held to them. */

import { expect, test } from "vitest";
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
