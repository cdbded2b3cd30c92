/** Resolves references between JSON Schemas, for readers that do not validate. */

import { expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { SchemaDocuments } from "../../src/schema/documents.js";
import { resolveReference } from "../../src/schema/references.js";
import { SchemaTree } from "../../src/schema/tree.js";
import { SchemaView } from "../../src/space/schemas.js";

/** References by relative path, by anchor, by `$id`, and within another document. */
const SCHEMAS = new Map([
  [
    "cerbos:///dir/a.json",
    {
      $defs: {
        key: {
          properties: {
            path: { $ref: "b.json#/$defs/state" },
            anchor: { $ref: "#size" },
            id: { $ref: "other" },
            loop: { $ref: "#/$defs/loop" },
          },
          required: ["path"],
        },
        size: { $anchor: "size", type: "integer", enum: [1, 2] },
        other: { $id: "other", type: "boolean", const: true },
        loop: { $ref: "#/$defs/loop" },
      },
    },
  ],
  ["cerbos:///dir/b.json", { $defs: { state: { $ref: "#/$defs/text" }, text: { type: "string", enum: ["on"] } } }],
]);
const REF = "cerbos:///dir/a.json#/$defs/key";

test.each([
  ["path", "string", ["on"]],
  ["anchor", "integer", [1, 2]],
  ["id", "boolean", [true]],
])("%s", (name, type, values) => {
  const documents = new SchemaDocuments(SCHEMAS);
  const property = documents.resolve(`${REF}/properties/${name}`, undefined);
  expect(documents.followed(property)).toMatchObject({ type });
  const required = name === "path";
  expect(new SchemaView(SCHEMAS, REF).attribute([name])).toMatchObject({ declared: "yes", members: values, required });
  const tree = new SchemaTree(SCHEMAS);
  const node = tree.at(REF);
  expect(tree.child(Object(node.schema.properties)[name], node).schema).toMatchObject({ type });
});

test("a schema stays in the part of a document that has an address of its own, by whatever way it is come to", () => {
  const documents = new SchemaDocuments(
    new Map<string, JsonValue>([
      ["cerbos:///dir/c.json", { $defs: { part: { $id: "part/", $defs: { x: { $ref: "y.json" } } } } }],
      ["cerbos:///dir/y.json", { type: "string" }],
      ["cerbos:///dir/part/y.json", { type: "integer" }],
    ]),
  );
  const found = documents.resolve("cerbos:///dir/c.json#/$defs/part/$defs/x", undefined);
  expect(documents.followed(found)).toEqual({ type: "integer" });
});

test("a reference without end leads nowhere", () => {
  const documents = new SchemaDocuments(SCHEMAS);
  expect(documents.followed(documents.resolve(`${REF}/properties/loop`, undefined))).toBeUndefined();
});

test.each([
  ["cerbos:///dir/a.json", "b.json", "cerbos:///dir/b.json"],
  ["cerbos:///dir/a.json", "../b.json#x", "cerbos:///b.json#x"],
  ["cerbos:///dir/a.json", "/b.json", "cerbos:///b.json"],
  ["cerbos:///dir/a.json", "#/x", "cerbos:///dir/a.json#/x"],
  ["cerbos:///dir/a.json", "https://a.b/c", "https://a.b/c"],
  ["cerbos:///dir/a.json", "CERBOS:///c.json", "cerbos:///c.json"],
  ["x-y.z+1:///a/b", "c", "x-y.z+1:///a/c"],
  ["https://a.b/dir/c.json", "d.json", "https://a.b/dir/d.json"],
  ["https://a.b/dir/c.json", "#d", "https://a.b/dir/c.json#d"],
  ["urn:a", "#b", "urn:a#b"],
  ["urn:a", "b.json", "b.json"],
  ["", "b.json", "b.json"],
  ["", "https://a.b/c", "https://a.b/c"],
])("beside %j the reference %j means %j", (base, reference, address) => {
  expect(resolveReference(reference, base)).toBe(address);
});

test("beside a reference, schemas of draft 7 say nothing", () => {
  const schemas = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"].map(
    ($schema) => ({
      ...{ $schema, $ref: "#/$defs/one", type: "string", allOf: [{ minimum: 1 }] },
      $defs: { one: { type: "number" } },
    }),
  );
  const joined = schemas.map((schema) => {
    const tree = new SchemaTree(new Map([["cerbos:///a.json", schema]]));
    return tree.at("cerbos:///a.json").schema;
  });
  expect(joined.map((schema) => schema.type)).toEqual(["number", "string"]);
  expect(joined.map((schema) => "$defs" in schema)).toEqual([false, true]);
  expect(joined.map((schema) => schema.minimum)).toEqual([undefined, 1]);
});

test("below a reference that stands alone, references are those of its document", () => {
  const text = { $defs: { text: { type: "string" }, one: { properties: { x: { $ref: "#/$defs/text" } } } } };
  const schemas = { "cerbos:///a.json": { $ref: "b.json#/$defs/one" }, "cerbos:///b.json": text };
  const tree = new SchemaTree(new Map(Object.entries(schemas)));
  expect(tree.below(tree.at("cerbos:///a.json"), "x").schema).toEqual({ type: "string" });
});

test("an address that two parts of a document claim is its fault", () => {
  const both = { $defs: { a: { $id: "one" }, b: { $id: "two" }, c: { $id: "one" } } };
  expect(new SchemaDocuments().add("cerbos:///a.json", both)).toBe("cerbos:///one");
  expect(new SchemaDocuments().add("cerbos:///a.json", { $defs: { a: { $id: "one" } } })).toBeUndefined();
});

test.each([
  ["/allOf/0", { type: "string" }],
  ["/allOf/", undefined],
  ["/allOf/1", undefined],
  ["/allOf/0x0", undefined],
])("the pointer %s into a list", (pointer, expected) => {
  const documents = new SchemaDocuments(new Map([["cerbos:///a.json", { allOf: [{ type: "string" }] }]]));
  expect(documents.resolve(`cerbos:///a.json#${pointer}`, undefined)).toEqual(expected);
});
