import { expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { SchemaTypes } from "../../src/schema/declared-type.js";

function declaredBy(schema: JsonValue) {
  return new SchemaTypes(new Map([["cerbos:///a.json", schema]])).at("cerbos:///a.json");
}

test.each<JsonValue>([
  true,
  {},
  { title: "anything" },
  { properties: { a: true, b: {} } },
  { items: {} },
  { allOf: [true, {}] },
  { anyOf: [true, true] },
])("nothing is declared by %j", (schema) => {
  expect(declaredBy(schema)).toBe(undefined);
});

test("of a type alone, nothing is declared of what is in it", () => {
  const declared = declaredBy({
    type: "object",
    properties: { map: { type: "object", additionalProperties: true }, list: { type: "array" }, free: {} },
  });
  expect(declared?.hasParts).toBe(true);
  expect(declared?.member("map")?.hasParts).toBe(false);
  expect(declared?.member("map")?.member("any")).toBe(undefined);
  expect(declared?.member("list")?.hasParts).toBe(false);
  expect(declared?.member("free")).toBe(undefined);
  expect(declared?.member("another")).toBe(undefined);
});

test("a schema that contains itself is taken to say something", () => {
  const declared = declaredBy({ properties: { child: { $ref: "#" } } });
  expect(declared?.member("child")?.hasParts).toBe(true);
});
