/**
 * A bundle carries the attribute types of its schemas: attribute reads are checked against them as against the schemas.
 */

import { expect, test } from "vitest";
import { bundleText } from "../../src/bundle/module.js";
import { packTypes } from "../../src/bundle/pack-types.js";
import { UnpackedAttributeTypes } from "../../src/bundle/unpack-types.js";
import { isObject, type JsonValue } from "../../src/cel/json.js";
import type { AttributeDeclarations, TypeDeclaration } from "../../src/cel/type-declaration.js";
import { decide } from "../../src/index.js";
import { SchemaTypes } from "../../src/schema/declared-type.js";
import { bundledSets } from "../support/bundles.js";
import { compiled, shipped } from "../support/policies.js";

function policy(version: string, role: string, expr: string, schemas: object = {}) {
  const rule = { actions: ["read"], roles: [role], effect: "EFFECT_ALLOW", condition: { match: { expr } } };
  return { resourcePolicy: { resource: "doc", version, rules: [rule], schemas } };
}

/** A set with a schema for its resources. */
function setOf(schema: JsonValue, expr: string) {
  const schemas = { resourceSchema: { ref: "cerbos:///doc.json" } };
  const documents = [policy("default", "*", expr, schemas), policy("platform", "account", "true")];
  return compiled([
    ...documents.map((document, i) => ({
      path: `${i}.json`,
      text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...document }),
    })),
    { path: "_schemas/doc.json", text: JSON.stringify(schema) },
  ]);
}

const VALUES: readonly JsonValue[] = [
  ...[null, true, 3, 2.5, "open", "closed", "?", [], ["a"], ["a", 1], [["b"]], { a: 1 }, { a: "x", b: [1, 2] }],
  { child: { child: { name: "x" } } },
  { child: { child: { name: 7 } } },
];

/** Everything that a type declaration tells, down to `depth` levels. */
function said(declared: TypeDeclaration | undefined, names: readonly string[], depth: number): unknown {
  if (declared === undefined || depth === 0) return declared === undefined ? undefined : "deeper";
  const { kinds, words, hasParts, scalars, listed, isListed, items, nullable } = declared;
  return {
    ...{ kinds, words, hasParts, scalars, listed, nullable },
    isListed: isListed && VALUES.map(isListed),
    items: said(items, names, depth - 1),
    members: names.map((name) => said(declared.member(name), names, depth - 1)),
  };
}

function written(types: ReturnType<typeof packTypes>): AttributeDeclarations | undefined {
  return types === null ? undefined : new UnpackedAttributeTypes(JSON.parse(JSON.stringify(types)));
}

const SCHEMAS: readonly JsonValue[] = [
  { type: "object", properties: { a: { type: "string" }, b: { type: "array", items: { type: "integer" } } } },
  { properties: { a: { enum: ["open", 3, null, ["a"], { a: 1 }] }, b: { type: ["string", "null"] } } },
  { properties: { a: { type: ["string", "null"] }, b: { enum: [1, null] } }, required: ["b", "a", "c"] },
  { additionalProperties: { type: "number" }, properties: { a: true } },
  { properties: { a: { type: "object", additionalProperties: { properties: { b: { const: 2.5 } } } } } },
  { type: "object", properties: { a: { type: "string", properties: { b: { type: "number" } } } } },
  { allOf: [{ properties: { a: { type: "string" } } }, { properties: { a: { enum: ["open", 7] } } }] },
  { properties: JSON.parse('{ "__proto__": { "type": "string" }, "constructor": { "type": "number" } }') },
  {},
];

test.each(SCHEMAS.map((schema) => [schema]))("%j", (schema) => {
  const set = setOf(schema, "R.attr.a == 1.0");
  const ref = "cerbos:///doc.json";
  const names = ["a", "b", "c", "__proto__", "constructor"];
  const expected = said(new SchemaTypes(set.model.schemas).at(ref), names, 4);
  expect(said(written(packTypes(set))?.at(ref), names, 4)).toEqual(expected);
});

test("the types of the shipped policies, whole", () => {
  const types = packTypes(shipped) ?? [];
  expect(types.map(([ref]) => ref)).toEqual([...shipped.model.schemas.keys()].sort());
  const names = ["accountId", "holds", "limits", "usage", "apis", "keys", "permissions", "state", "keyCount", "other"];
  for (const [ref] of types) {
    const expected = said(new SchemaTypes(shipped.model.schemas).at(ref), names, 3);
    expect(said(written(types)?.at(ref), names, 3)).toEqual(expected);
  }
});

test("schemas that contain themselves are read where the bundle is loaded", async () => {
  const schema = { type: "object", properties: { child: { $ref: "#" }, name: { type: "string" } } };
  const set = setOf(schema, 'R.attr.child.child.name == "x"');
  expect(packTypes(set)).toBe(null);
  expect(await bundleText(set)).toContain('from "keyward/runtime/everything"');
  const outcomes = new Set<string>();
  for (const loaded of Object.values(await bundledSets(set))) {
    for (const value of VALUES) {
      const attr = isObject(value) ? value : { value };
      const key = { id: "k", roles: ["user"], attr: {} };
      const request = {
        key,
        operation: "read",
        resource: { kind: "doc", id: "d", attr },
        account: { id: "a", attr: {} },
      };
      expect(decide(loaded, request)).toEqual(decide(set, request));
      outcomes.add(decide(loaded, request).permission.errors[0]?.message ?? decide(loaded, request).outcome);
    }
  }
  expect(outcomes.size).toBeGreaterThan(2);
});
