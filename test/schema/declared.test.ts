/** The type declarations of schemas. A declaration must hold for every valid value. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { declaredBy, type SchemaDeclaration, typeOf } from "../../src/schema/declaration.js";
import { sized } from "../support/size.js";
import "../support/seed.js";

const REF = "cerbos:///a.json";

function declared(schema: JsonValue, more: { readonly [ref: string]: JsonValue } = {}): SchemaDeclaration {
  return declaredBy(new Map([[REF, schema], ...Object.entries(more)]), REF);
}

const field = (schema: JsonValue, ...path: string[]) => {
  let last = declared({ type: "object", properties: { root: schema } }).field("root");
  for (const name of path) last = last.field(name);
  return last;
};
const types = (value: SchemaDeclaration) => [...value.types].sort();

describe("types and values", () => {
  test.each<[JsonValue, string[], JsonValue[] | undefined]>([
    [{ type: "string" }, ["string"], undefined],
    [{ type: "integer" }, ["number"], undefined],
    [{ type: ["integer", "null"] }, ["null", "number"], undefined],
    [{}, ["array", "boolean", "null", "number", "object", "string"], undefined],
    [false, [], []],
    [{ enum: ["a", 1] }, ["number", "string"], ["a", 1]],
    [{ const: true }, ["boolean"], [true]],
    [{ type: "string", enum: ["a", 1] }, ["string"], ["a", 1]],
    [{ allOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] }, ["string"], ["b"]],
    [{ anyOf: [{ enum: ["a"] }, { const: 2 }] }, ["number", "string"], ["a", 2]],
    [{ oneOf: [{ type: "string" }, { type: "null" }] }, ["null", "string"], undefined],
    [{ type: "string", anyOf: [{ type: ["string", "number"] }, { type: "null" }] }, ["string"], undefined],
    [{ $ref: "#/$defs/none" }, ["array", "boolean", "null", "number", "object", "string"], undefined],
  ])("%j", (schema, expected, values) => {
    const found = field(schema);
    expect(types(found)).toEqual(expected);
    expect(found.values).toEqual(values);
  });

  test("references, beside which draft 7 reads nothing", () => {
    const schema = (draft: string): JsonValue => ({
      $schema: draft,
      properties: { a: { $ref: "b.json#/definitions/text", enum: ["x"] } },
    });
    const more = { "cerbos:///b.json": { definitions: { text: { type: "string" } } } };
    const read = (draft: string) => declared(schema(draft), more).field("a");
    expect([types(read("https://json-schema.org/draft/2020-12/schema")), read("").values]).toEqual([["string"], ["x"]]);
    const old = read("http://json-schema.org/draft-07/schema#");
    expect([types(old), old.values]).toEqual([["string"], undefined]);
  });

  test("a schema that contains itself", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" }, n: { type: "integer" } } };
    const deep = declared(schema).field("next").field("next").field("next");
    expect([types(deep.field("n")), deep.field("m").declared]).toEqual([["number"], "no"]);
  });

  test("elements and further fields", () => {
    expect(types(field({ type: "array", items: { type: "string" } }).items)).toEqual(["string"]);
    expect(types(field({ prefixItems: [{ type: "string" }], items: false }).items)).toHaveLength(6);
    expect(types(field({ additionalProperties: { type: "boolean" } }, "any"))).toEqual(["boolean"]);
  });
});

describe("what is declared", () => {
  const object = { properties: { a: { type: "string" }, b: {} }, required: ["a"] };

  test.each<[string, JsonValue, string, string, boolean]>([
    ["named", object, "a", "yes", true],
    ["named, and may be absent", object, "b", "yes", false],
    ["not named", object, "c", "no", false],
    ["not named, which is allowed", { ...object, additionalProperties: true }, "c", "no", false],
    ["of the type of further fields", { ...object, additionalProperties: { type: "string" } }, "c", "unknown", false],
    ["perhaps by a pattern", { ...object, patternProperties: { "^x": {} } }, "c", "unknown", false],
    ["nothing is said", { type: "object" }, "a", "unknown", false],
    ["nothing is allowed", { additionalProperties: false }, "a", "no", false],
    ["by one of allOf", { allOf: [object, { properties: { c: {} }, required: ["c"] }] }, "c", "yes", true],
    ["by one alternative", { anyOf: [object, { properties: { c: {} } }] }, "c", "unknown", false],
    ["by each alternative", { anyOf: [object, { properties: { a: {} }, required: ["a"] }] }, "a", "yes", true],
    ["by each of three, in two required", { anyOf: [object, object, { properties: { a: {} } }] }, "a", "yes", false],
    ["by no alternative", { oneOf: [object, { properties: { c: {} } }] }, "d", "no", false],
    ["perhaps by a condition", { ...object, if: {}, else: { properties: { c: {} } } }, "c", "unknown", false],
  ])("%s", (_, schema, name, expected, required) => {
    const found = declared(schema).field(name);
    expect([found.declared, found.required]).toEqual([expected, required]);
  });

  test("the names there are", () => {
    expect([...declared({ allOf: [object, { properties: { c: {} } }] }).names]).toEqual(["a", "b", "c"]);
  });
});

test("a value of a kind that is not declared is invalid", async () => {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({ strict: false, logger: false });
  const leaf = fc.oneof(
    fc.record({ type: fc.constantFrom("string", "integer", "boolean", "null", "array", "object") }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom<JsonValue>("a", 1, true, null), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<JsonValue>("a", 1, false) }),
    fc.constant({}),
  );
  const { schema } = fc.letrec<{ schema: { readonly [keyword: string]: JsonValue } }>((tie) => {
    const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { depthSize: "small" },
        leaf,
        some.map((allOf) => ({ allOf })),
        some.map((anyOf) => ({ anyOf })),
        some.map((oneOf) => ({ oneOf })),
        fc.record({ type: fc.constantFrom("string", "number"), not: tie("schema") }),
      ),
    };
  });
  let ruledOut = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom<JsonValue>("a", "b", 1, 2, true, false, null, [], {}), (one, value) => {
      const { types: may, values } = declared(one);
      if (may.has(typeOf(value)) && (values === undefined || values.includes(value) || typeof value === "object"))
        return;
      ruledOut++;
      expect(ajv.validate(one, value)).toBe(false);
    }),
    { numRuns: sized(1_000), endOnFailure: true },
  );
  expect(ruledOut).toBeGreaterThan(sized(200));
});
