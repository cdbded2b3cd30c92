/**
 * References between JSON Schemas, and subschemas with their own `$id`. Schemas that the server loads validate the same
 * here. Schemas that it cannot load (it reports that with each request) are refused here at load.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/evaluate/check.js";
import { NO_SERVER, startServer } from "../support/server.js";
import { withFiles } from "../support/terminal.js";

const city = { type: "object", required: ["city"], properties: { city: { type: "string" } } };

interface Case {
  readonly name: string;
  readonly files: { readonly [path: string]: JsonValue };
  /** Default: an empty map as the attribute `a`. */
  readonly attr?: { readonly [name: string]: JsonValue };
  /** Default: `x.json`. */
  readonly ref?: string;
}

/** Definitions with one subschema that has an `$id`. */
const A = (id: string) => ({ address: { $id: id, ...city } });
const CASES: readonly Case[] = [
  // A reference cycle for the same value is refused; a cycle through a part of the value is recursion.
  ...Object.entries({
    itself: { $ref: "#" },
    "a definition": { properties: { a: { $ref: "#/$defs/e" } }, $defs: { e: { $ref: "#/$defs/e" } } },
    "a definition out of use": { properties: { a: {} }, $defs: { e: { $ref: "#/$defs/e" } } },
    alternatives: { anyOf: [{ allOf: [{ type: "string" }, { $ref: "#" }] }] },
    not: { not: { $ref: "#" } },
    if: { if: { $ref: "#" } },
    "else without if": { else: { $ref: "#" } },
    else: { if: {}, else: { $ref: "#" } },
    dependentSchemas: { dependentSchemas: { a: { $ref: "#" } } },
    "dependentSchemas in draft 7": {
      $schema: "http://json-schema.org/draft-07/schema#",
      dependentSchemas: { a: { $ref: "#" } },
    },
    dependencies: { dependencies: { a: { $ref: "#" } } },
    dynamicRef: { $dynamicAnchor: "x", allOf: [{ $dynamicRef: "#x" }] },
    "recursiveRef in 2019-09": {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      $recursiveAnchor: true,
      allOf: [{ $recursiveRef: "#" }],
    },
    members: { additionalProperties: { $ref: "#" } },
    items: { properties: { a: { items: { $ref: "#" } } } },
    contains: { contains: { $ref: "#" } },
    names: { propertyNames: { $ref: "#" } },
    "siblings of $ref in draft 7": {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { $ref: "#/$defs/d", allOf: [{ $ref: "#/properties/a" }] } },
      $defs: { d: { type: "object" } },
    },
  }).map(([name, schema]) => ({ name: `comes back to itself: ${name}`, files: { "x.json": schema } })),
  { name: "embedded", files: { "x.json": { properties: { a: { $ref: "address" } }, $defs: A("address") } } },
  {
    name: "https root",
    files: {
      "x.json": { $id: "https://example.com/s/root.json", properties: { a: { $ref: "address" } }, $defs: A("address") },
    },
  },
  {
    name: "https root, cerbos ref",
    files: {
      "x.json": { $id: "https://example.com/s/root.json", properties: { a: { $ref: "cerbos:///o.json" } } },
      "o.json": city,
    },
  },
  {
    name: "id in the other file",
    files: {
      "x.json": { properties: { a: { $ref: "cerbos:///inner" }, b: { $ref: "o.json" } } },
      "o.json": { $defs: A("cerbos:///inner") },
    },
  },
  {
    name: "id in the other file, after",
    files: {
      "x.json": { properties: { b: { $ref: "o.json" }, z: { $ref: "cerbos:///inner" } } },
      "o.json": { $defs: A("cerbos:///inner") },
    },
    attr: { z: {} },
  },
  {
    name: "fragment",
    files: { "x.json": { properties: { a: { $ref: "address#/properties/city" } }, $defs: A("address") } },
  },
  {
    name: "anchor in embedded",
    files: {
      "x.json": {
        properties: { a: { $ref: "address#c" } },
        $defs: { address: { $id: "address", $defs: { c: { $anchor: "c", type: "string" } } } },
      },
    },
  },
  {
    name: "id hides file",
    files: { "x.json": { properties: { a: { $ref: "o.json" } }, $defs: A("o.json") }, "o.json": { type: "integer" } },
  },
  {
    name: "metaschema",
    files: { "x.json": { properties: { a: { $ref: "https://json-schema.org/draft/2020-12/schema" } } } },
    attr: { a: { type: 5 } },
  },
  {
    name: "metaschema 07",
    files: { "x.json": { properties: { a: { $ref: "http://json-schema.org/draft-07/schema#" } } } },
    attr: { a: { type: 5 } },
  },
  {
    name: "draft7 #id",
    files: {
      "x.json": {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { $ref: "#foo" } },
        definitions: A("#foo"),
      },
    },
  },
  {
    name: "draft7 id",
    files: {
      "x.json": {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { $ref: "foo" } },
        definitions: A("foo"),
      },
    },
  },
  { name: "const with $ref", files: { "x.json": { properties: { a: { const: { $ref: "nowhere" } } } } } },
  { name: "enum with $ref", files: { "x.json": { properties: { a: { enum: [{ $ref: "nowhere" }] } } } } },
  {
    name: "property $ref",
    files: { "x.json": { properties: { $ref: { type: "string" }, $id: { type: "string" } } } },
    attr: { $ref: 1, $id: 2 },
  },
  { name: "default with $id", files: { "x.json": { properties: { a: { default: { $id: "foo" }, $ref: "foo" } } } } },
  { name: "example unknown keyword", files: { "x.json": { "x-stuff": { $ref: "nowhere" } } } },
  { name: "unknown keyword id", files: { "x.json": { properties: { a: { $ref: "foo" } }, "x-stuff": A("foo") } } },
  {
    name: "relative dirs",
    files: { "d/x.json": { properties: { a: { $ref: "sub/address.json" } }, $defs: A("sub/address.json") } },
    ref: "d/x.json",
  },
  {
    name: "root id moves base",
    files: { "x.json": { $id: "cerbos:///dir/y.json", properties: { a: { $ref: "z.json" } } }, "dir/z.json": city },
  },
  {
    name: "root id, ref to own file name",
    files: { "x.json": { $id: "cerbos:///dir/y.json", properties: { a: { $ref: "cerbos:///x.json" } } } },
    attr: { a: { a: 5 } },
  },
  {
    name: "root id, ref to own id",
    files: { "x.json": { $id: "cerbos:///dir/y.json", required: ["q"], properties: { a: { $ref: "y.json" } } } },
    attr: { a: {} },
  },
  {
    name: "nested ids",
    files: { "x.json": { properties: { a: { $ref: "one/two" } }, $defs: { o: { $id: "one/", $defs: A("two") } } } },
  },
  {
    name: "inside a map",
    files: { "x.json": { properties: { a: { $ref: "deep" }, b: { allOf: [{ properties: A("deep") }] } } } },
  },
  { name: "nowhere", files: { "x.json": { properties: { a: { $ref: "nowhere" } } } } },
  {
    name: "duplicate id",
    files: {
      "x.json": {
        properties: { a: { $ref: "dup" } },
        $defs: { a: { $id: "dup", type: "string" }, b: { $id: "dup", type: "object" } },
      },
    },
  },
  {
    name: "ref sibling draft7",
    files: {
      "x.json": {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { $ref: "foo" } },
        definitions: { q: { $id: "foo", $ref: "#/definitions/w" }, w: city },
      },
    },
  },
  {
    name: "dynamicRef",
    files: {
      "x.json": { $id: "root", $dynamicAnchor: "n", properties: { a: { $dynamicRef: "#n" } }, required: ["q"] },
    },
    attr: { a: {} },
  },
  {
    name: "broken embedded",
    files: { "x.json": { properties: { a: { type: "object" } }, $defs: { b: { $id: "b", type: "nonsense" } } } },
  },
  {
    name: "broken ref in unused def",
    files: { "x.json": { properties: { a: { type: "object" } }, $defs: { b: { $ref: "nowhere" } } } },
  },
  {
    name: "broken pointer in unused def",
    files: { "x.json": { properties: { a: { type: "object" } }, $defs: { b: { $ref: "#/nowhere" } } } },
  },
  { name: "broken anchor", files: { "x.json": { properties: { a: { $ref: "#nowhere" } } } } },
  {
    name: "embedded other draft",
    files: {
      "x.json": {
        properties: { a: { $ref: "o" } },
        $defs: { o: { $id: "o", $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] } },
      },
    },
    attr: { a: [1] },
  },
  {
    name: "id with fragment",
    files: { "x.json": { properties: { a: { $ref: "o" } }, $defs: { o: { $id: "o#", ...city } } } },
  },
  {
    name: "invalid id",
    files: { "x.json": { properties: { a: { type: "object" } }, $defs: { o: { $id: "http://[", ...city } } } },
  },
  {
    name: "absolute https embedded",
    files: {
      "x.json": { properties: { a: { $ref: "https://example.com/addr" } }, $defs: A("https://example.com/addr") },
    },
  },
  {
    name: "urn embedded",
    files: { "x.json": { properties: { a: { $ref: "urn:example:addr" } }, $defs: A("urn:example:addr") } },
  },
  { name: "bad pattern", files: { "x.json": { properties: { a: { pattern: "(" } } } } },
  { name: "bad pattern, unused", files: { "x.json": { $defs: { a: { pattern: "(?=a)" } } } } },
  { name: "bad patternProperties", files: { "x.json": { patternProperties: { "[": {} } } } },
  { name: "good pattern", files: { "x.json": { properties: { a: { pattern: "^a+$" } } } }, attr: { a: "b" } },
  {
    name: "https draft-07",
    files: { "x.json": { $schema: "https://json-schema.org/draft-07/schema#", properties: { a: { type: "string" } } } },
  },
  { name: "$ref bad uri", files: { "x.json": { properties: { a: { $ref: "http://[" } } } } },
  // Unusual references and ids: Go's URL parser decides which are valid.
  ...["#/$defs/%zz", "%zz", "1a:b", "b\u0001c", "http://", "//", "http://h:99999/", "http://a<b/", "x\\y", "ü"].flatMap(
    ($ref) => [
      { name: `$ref ${$ref}, unused`, files: { "x.json": { required: ["q"], $defs: { b: { $ref } } } } },
      { name: `$id ${$ref}`, files: { "x.json": { required: ["q"], $defs: { b: { $id: $ref } } } } },
    ],
  ),
  { name: "$ref space", files: { "x.json": { properties: { a: { type: "object" } }, $defs: { b: { $ref: "a b" } } } } },
  {
    name: "2019 meta",
    files: {
      "x.json": {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        properties: { a: { $ref: "https://json-schema.org/draft/2019-09/schema" } },
      },
    },
    attr: { a: { type: 5 } },
  },
  {
    name: "recursiveRef",
    files: {
      "x.json": {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        $recursiveAnchor: true,
        required: ["q"],
        properties: { a: { $recursiveRef: "#" } },
      },
    },
  },
  {
    name: "cyclic files",
    files: {
      "x.json": { properties: { a: { $ref: "o.json" } } },
      "o.json": { required: ["z"], properties: { b: { $ref: "x.json" } } },
    },
  },
];

/** The files of a case, in a directory of their own. */
function filesOf({ files, ref = "x.json" }: Case, i: number): { readonly [path: string]: string } {
  const own = (value: unknown) => JSON.stringify(value).replaceAll("cerbos:///", `cerbos:///c${i}/`);
  const schemas = Object.entries(files).map(([path, schema]) => [`_schemas/c${i}/${path}`, own(schema)] as const);
  const resourcePolicy = {
    resource: `kind${i}`,
    version: "default",
    rules: [{ actions: ["x"], roles: ["*"], effect: "EFFECT_ALLOW" }],
    schemas: { resourceSchema: { ref: `cerbos:///${ref}` } },
  };
  return { [`p${i}.json`]: own({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }), ...Object.fromEntries(schemas) };
}

const REFUSED = "refused";

interface Fault {
  readonly path?: string;
  readonly message: string;
}

function shown(faults: readonly Fault[]): readonly string[] | typeof REFUSED {
  if (faults.some(({ message }) => message.startsWith("Failed to load"))) return REFUSED;
  return faults.map(({ path, message }) => `${path} ${message}`).sort();
}

function here(one: Case, i: number): readonly string[] | typeof REFUSED {
  const files = Object.entries(filesOf(one, i)).map(([path, text]) => ({ path, text }));
  const engine = compileCheckEngine(files, { schemaEnforcement: "warn" });
  if (isLeft(engine)) {
    expect(engine.left.map(({ code }) => code)).toContain("schema");
    return REFUSED;
  }
  const { policies, options } = engine.right;
  const input = {
    principal: { id: "p", roles: ["user"], attr: {}, policyVersion: "", scope: "" },
    resource: { kind: `kind${i}`, id: "r", attr: attrOf(one), policyVersion: "", scope: "" },
    actions: ["x"],
    jwt: {},
    now: undefined,
  };
  return shown(check(policies, input, options).validationErrors);
}

function attrOf({ attr = { a: {} } }: Case) {
  return attr;
}

/** The server's answers, from one server for all cases: it loads each schema on first use. */
async function there(): Promise<readonly (readonly string[] | typeof REFUSED)[]> {
  return withFiles(Object.assign({}, ...CASES.map(filesOf)), async (root) => {
    const server = await startServer(root, { schema: { enforcement: "warn" } });
    try {
      const resources = CASES.map((one, i) => ({
        actions: ["x"],
        resource: { kind: `kind${i}`, id: "r", attr: attrOf(one) },
      }));
      const answers: (readonly string[] | typeof REFUSED)[] = [];
      for (let from = 0; from < resources.length; from += 50) {
        const some = resources.slice(from, from + 50);
        const { text } = await server.check({ principal: { id: "p", roles: ["user"] }, resources: some });
        const { results }: { results: readonly { readonly validationErrors?: readonly Fault[] }[] } = JSON.parse(text);
        answers.push(...results.map(({ validationErrors = [] }) => shown(validationErrors)));
      }
      return answers;
    } finally {
      await server.stop();
    }
  });
}

describe.skipIf(NO_SERVER !== undefined)(`references between schemas ${NO_SERVER ?? ""}`, async () => {
  const answers = NO_SERVER === undefined ? await there() : [];
  test.each(CASES.map((one, i) => [one.name, one, i] as const))("%s", (_, one, i) => {
    expect(here(one, i)).toEqual(answers[i]);
  });
});

test.each([
  "http://json-schema.org/draft-06/schema#",
  "http://json-schema.org/draft-04/schema#",
  "https://example.com/schema",
])("the draft %s is refused", ($schema) => {
  expect(here({ name: "", files: { "x.json": { $schema, type: "object" } } }, 0)).toBe(REFUSED);
});
