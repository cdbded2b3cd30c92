/** JSON Schema faults: the same faults, paths and messages as the server's, which `npm run record` has recorded. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { SchemaValidator } from "../../src/schema/validator.js";
import { comparableFaults } from "../recorded/comparable.js";
import RECORDED from "../recorded/schema-faults.json" with { type: "json" };
import { SCHEMA_CASES, SCHEMA_FILES, schemaRequest } from "./schema-cases.js";

describe("as the server validated", () => {
  const files = Object.entries(SCHEMA_FILES).map(([path, text]) => ({ path, text }));
  const compiled = compileCheckEngine(files, { schemaEnforcement: "warn" });
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  const limits = { maxResourcesPerRequest: SCHEMA_CASES.length };
  // The client's types do not accept `unknown`.
  const request = JSON.parse(JSON.stringify(schemaRequest()));
  const client = new EmbeddedClient(compiled.right, { limits });
  test.each(SCHEMA_CASES.map(({ name, attr }, i) => [name, JSON.stringify(attr).slice(0, 60), i] as const))(
    "%s: %s",
    async (_, __, i) => {
      const { results } = await client.checkResources({ ...request, resources: [request.resources[i]] });
      expect(results.map(({ validationErrors = [] }) => comparableFaults(validationErrors))).toEqual([RECORDED[i]]);
    },
  );
});

interface Fault {
  readonly path: string;
  readonly message: string;
}

function faultsOf(schema: JsonValue, value: unknown): readonly Fault[] {
  return new SchemaValidator(new Map([["cerbos:///x.json", schema]])).validate("cerbos:///x.json", value);
}

describe("as on the server, observed", () => {
  test("an empty name is no part of a path", () => {
    const schema = { additionalProperties: { additionalProperties: { type: "object", additionalProperties: false } } };
    expect(faultsOf(schema, { a: { "": 1 } })).toEqual([{ path: "/a", message: "expected object, but got number" }]);
    expect(faultsOf(schema, { "": { b: 1 } })).toEqual([{ path: "/b", message: "expected object, but got number" }]);
  });

  test("draft 7 knows no unevaluated items and members", () => {
    const rules = { unevaluatedItems: false, unevaluatedProperties: false };
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", ...rules };
    for (const value of [[1], { a: 1 }]) {
      expect(faultsOf(draft7, value)).toEqual([]);
      expect(faultsOf(rules, value)).toHaveLength(1);
    }
  });
});

describe("what is hostile ends in a fault", { tags: "long" }, () => {
  test("schemas that refer to themselves", () => {
    expect(faultsOf({ $ref: "#" }, {})).toEqual([{ path: "", message: "the schema refers to itself without end" }]);
    expect(faultsOf({ anyOf: [{ allOf: [{ $ref: "#" }] }] }, { a: 1 })).toHaveLength(1);
  });

  test("a value that is nested too deeply to be walked", () => {
    let value: object = {};
    for (let i = 0; i < 100_000; i++) value = { a: value };
    expect(faultsOf({ properties: { a: { $ref: "#" } } }, value)).toEqual([
      { path: "", message: "the value cannot be validated" },
    ]);
  });

  const TOO_MUCH = [{ path: "", message: "the value takes too many steps to validate" }];

  test("many faults are all reported, and too many are one", () => {
    const ones = (length: number) => Array.from({ length }, () => 1);
    const rule = { anyOf: [{ items: { type: "string" } }] };
    expect(faultsOf(rule, ones(5_000))).toHaveLength(5_000);
    expect(faultsOf(rule, ones(100_000))).toEqual(TOO_MUCH);
  });

  test.each(["allOf", "anyOf", "oneOf"])("%s in which each schema refers to the next one twice", (keyword) => {
    const twice = (i: number) => ({ [keyword]: [{ $ref: `#/$defs/s${i + 1}` }, { $ref: `#/$defs/s${i + 1}` }] });
    const schemas = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`s${i}`, twice(i)]));
    const $defs = { ...schemas, s60: { type: "string" } };
    expect(faultsOf({ $defs, $ref: "#/$defs/s0" }, 1)).toEqual(TOO_MUCH);
  });

  test("a value that is in many places of itself", () => {
    let value: unknown = [1];
    for (let i = 0; i < 60; i++) value = [value, value];
    expect(faultsOf({ items: { $ref: "#" } }, value)).toEqual(TOO_MUCH);
    expect(faultsOf({ uniqueItems: true }, [value])).toEqual(TOO_MUCH);
  });

  test("a long list of different items is compared in linear time", () => {
    const list = Array.from({ length: 10_000 }, (_, i) => ({ id: i }));
    expect(faultsOf({ uniqueItems: true }, list)).toEqual([]);
  });

  test("inherited names are no members and no keywords", () => {
    const value = JSON.parse('{"__proto__": 1, "constructor": 2}');
    expect(faultsOf({ additionalProperties: false }, value)[0]?.message).toBe(
      "additionalProperties '__proto__', 'constructor' not allowed",
    );
    expect(faultsOf({ required: ["toString", "__proto__"] }, {})[0]?.message).toBe(
      "missing properties: 'toString', '__proto__'",
    );
    expect(faultsOf(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'), value)).toHaveLength(1);
  });

  test("a reference to a part with an $id of its own", () => {
    const address = {
      $id: "address",
      type: "object",
      required: ["city", "zip"],
      properties: { city: { type: "string" }, zip: { $ref: "#/$defs/zip" } },
      $defs: { zip: { type: "string", pattern: "^[0-9]{5}$" } },
    };
    expect(
      comparableFaults(faultsOf({ properties: { a: { $ref: "address" } }, $defs: { address } }, { a: { zip: "x" } })),
    ).toEqual(["/a missing properties: 'city'", "/a/zip does not match pattern '^[0-9]{5}$'"]);
  });

  test("a reference to nothing", () => {
    expect(faultsOf({ $ref: "#/nowhere" }, {})).toEqual([{ path: "/", message: "schema #/nowhere doesn't exist" }]);
  });
});
