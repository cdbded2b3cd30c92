/** Schemas with attributes, for which the real server says what its messages are. */

export interface SchemaCase {
  readonly name: string;
  readonly schema: unknown;
  /** Attributes of the resource. */
  readonly attr: { readonly [name: string]: unknown };
}

/** A schema for the attribute `a`, with values for it. */
function of(name: string, schema: unknown, ...values: readonly unknown[]): readonly SchemaCase[] {
  return values.map((a, i) => ({
    name: values.length === 1 ? name : `${name} ${i + 1}`,
    schema: { type: "object", properties: { a: schema } },
    attr: { a },
  }));
}

function whole(name: string, schema: unknown, ...attrs: readonly SchemaCase["attr"][]): readonly SchemaCase[] {
  return attrs.map((attr, i) => ({ name: attrs.length === 1 ? name : `${name} ${i + 1}`, schema, attr }));
}

const formats: { readonly [format: string]: readonly unknown[] } = {
  "date-time": [
    "2024-02-29T12:00:00Z",
    "2024-02-30T12:00:00Z",
    "2024-02-29 12:00:00Z",
    "2024-02-29t12:00:00z",
    "2024-02-29T12:00:00",
    "2024-02-29T23:59:60Z",
    "2024-02-29T22:59:60Z",
    "2024-02-29T12:00:00.123456789+14:00",
    "2024-02-29T12:00:00.+14:00",
    "2024-02-29T24:00:00Z",
    "",
    5,
  ],
  date: ["2024-02-29", "2023-02-29", "0000-01-01", "2024-1-1", "+2024-01-01"],
  time: ["12:00:00Z", "12:00:00", "12:00:00+24:00", "23:59:60Z", "24:00:00Z", "01:29:60+01:30"],
  duration: ["P1D", "P", "PT", "P1W", "P1Y2M3DT4H5M6S", "P1DT", "P1M1Y", "PT1.5S", "P1W1D"],
  email: ["a@b.c", "a@b", "a", "@b.c", "a b@c.d", "a..b@c.d", '"a b"@c.d', "a@[127.0.0.1]", "a@[IPv6:::1]", "a@-b.c"],
  hostname: ["example.com", "-a.b", "a_b.c", "a..b", "example.com.", "", `${"a".repeat(64)}.b`],
  ipv4: ["127.0.0.1", "256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", ""],
  ipv6: ["::1", "1::2::3", "fe80::1%eth0", "127.0.0.1", "::ffff:127.0.0.1", "1:2:3:4:5:6:7:8"],
  uri: [
    "https://example.com/a?b#c",
    "/a",
    "a:b",
    "http://[::1]/",
    "http://[::1/",
    "http://a b/",
    "//a",
    "",
    "http://é/",
  ],
  "uri-reference": ["/a", "a b", "\\a", "#a", "", "%zz"],
  iri: ["https://é/", "/a"],
  "iri-reference": ["/é"],
  "uri-template": ["/a/{b}", "/a/{b", "/a/}b{"],
  uuid: [
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
    "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "f81d4fae7dec11d0a76500a0c91e6bf6",
    "",
  ],
  regex: ["a+", "[", "(?=a)", "\\pL"],
  "json-pointer": ["/a/b", "a", "", "/~2", "/~0~1"],
  "relative-json-pointer": ["0/a", "0#", "/a", "01", "1"],
  period: ["2024-02-29T12:00:00Z/P1D", "P1D/2024-02-29T12:00:00Z", "x"],
  semver: ["1.0.0", "1"],
  int32: [5, 5e12],
  unknown: ["x"],
};

export const SCHEMA_CASES: readonly SchemaCase[] = [
  ...of("type", { type: "string" }, "x", 1, 1.5, true, null, [], {}),
  ...of("types", { type: ["string", "null"] }, "x", null, 1, {}),
  ...of("integer", { type: "integer" }, 1, 1.0, 1.5, "1", 1e21, -0),
  ...of("number", { type: "number" }, 1.5, "1", null),
  ...of("boolean, array, object, null", { type: ["boolean", "array", "object", "null"] }, 1, "x"),
  ...of("type stops", { type: "string", enum: ["x"], minimum: 5, const: "x" }, 1, "y"),
  ...of("const", { const: "x" }, "x", "y", 1),
  ...of("const number", { const: 1.5 }, "y", 1.5, 1),
  ...of("const big", { const: 1e3 }, "y", 1000),
  ...of("const null", { const: null }, "y", null),
  ...of("const true", { const: true }, false, true),
  ...of("const list", { const: [1, "a"] }, [1, "a"], [1], "x"),
  ...of("const object", { const: { a: 1 } }, { a: 1 }, {}),
  ...of("const quotes", { const: 'it\'s "é" \n\u0001😀\u00a0\\' }, ""),
  ...of("enum", { enum: ["a", "b"] }, "a", "c", null),
  ...of("enum of one", { enum: ["a"] }, "c"),
  ...of("enum mixed", { enum: ["a", 1, 1.0, 1e2, true, null] }, "c", 1, 100),
  ...of("enum of composites", { enum: ["a", []] }, "c", []),
  ...of("enum with per cent", { enum: ["100%", "%d of %%", "% x", "%5.2f%", "%!"] }, "c"),
  ...of("minLength", { minLength: 2 }, "", "a", "ab", "😀", 5),
  ...of("maxLength", { maxLength: 1 }, "ab", "😀", "é"),
  ...of("pattern", { pattern: "^a'\"\\\\+$" }, "a", "a'\"\\", 5),
  ...of("minimum", { minimum: 1 }, 0, 1, 0.5, -1e21, 1e-7, "x"),
  ...of("minimum fraction", { minimum: 1.5 }, 1, 1.5),
  ...of("minimum large", { minimum: 1e21 }, 1, 123456789),
  ...of("minimum small", { minimum: 0.00001 }, 0, 0.000001),
  ...of("maximum", { maximum: 1 }, 2, 1, 1e21, 123456789012, 1.7976931348623157e308),
  ...of("exclusiveMinimum", { exclusiveMinimum: 1 }, 1, 2, 0),
  ...of("exclusiveMaximum", { exclusiveMaximum: 1 }, 1, 2, 0),
  ...of("multipleOf", { multipleOf: 2 }, 3, 4, 2.5),
  ...of("multipleOf fraction", { multipleOf: 0.1 }, 0.3, 0.35, 1.1),
  ...of("several limits", { minimum: 5, multipleOf: 2, enum: [8] }, 3),
  ...of("minItems", { minItems: 1 }, [], [1]),
  ...of("maxItems", { maxItems: 1 }, [1, 2], [1]),
  ...of("uniqueItems", { uniqueItems: true }, [1, 2, 1, 2], [1, 2], [{ a: 1 }, { a: 1 }], [1, "1"], Array(30).fill(1)),
  ...of("items", { items: { type: "string" } }, ["a", 1, 2], []),
  ...of("items false", { items: false }, [1], []),
  ...of(
    "prefixItems",
    { prefixItems: [{ type: "string" }, { type: "number" }], items: { type: "boolean" } },
    [1, 1, 1],
  ),
  ...of("prefixItems false", { prefixItems: [true], items: false }, [1, 2], [1]),
  ...of("contains", { contains: { type: "string" } }, [], [1, 2], ["a"]),
  ...of("minContains", { contains: { type: "string" }, minContains: 2, maxContains: 3 }, ["a"], ["a", "b", "c", "d"]),
  ...of("minContains 0", { contains: { type: "string" }, minContains: 0 }, [], [1]),
  ...of("unevaluatedItems", { prefixItems: [true], unevaluatedItems: false }, [1], [1, 2]),
  ...of("unevaluatedItems schema", { contains: { type: "string" }, unevaluatedItems: { type: "null" } }, [
    "a",
    null,
    1,
  ]),
  ...of("minProperties", { minProperties: 2 }, { a: 1 }, {}),
  ...of("maxProperties", { maxProperties: 1 }, { a: 1, b: 2 }),
  ...of("required", { required: ["x", "it's", 'a"b', "y/z"] }, {}, { x: 1 }, "no object"),
  ...of(
    "additionalProperties",
    { properties: { x: true }, additionalProperties: false },
    { x: 1 },
    { y: 1 },
    { "it's": 1 },
  ),
  ...of("additionalProperties schema", { additionalProperties: { type: "string" } }, { y: 1, z: "a" }),
  ...of(
    "patternProperties",
    { patternProperties: { "^x": { type: "string" } }, additionalProperties: false },
    { x1: 1 },
    { y: 1 },
  ),
  ...of("propertyNames", { propertyNames: { maxLength: 2, pattern: "^a" } }, { abc: 1, b: 1, ab: 1 }),
  ...of("dependentRequired", { dependentRequired: { a: ["b", "c"] } }, { a: 1 }, { a: 1, b: 1, c: 1 }, {}),
  ...of("dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }, {}),
  ...of("unevaluatedProperties", { properties: { x: true }, unevaluatedProperties: false }, { y: 1 }, { x: 1 }),
  ...of(
    "unevaluatedProperties across",
    {
      allOf: [{ properties: { x: true } }],
      anyOf: [{ properties: { y: { type: "string" } } }, {}],
      unevaluatedProperties: { type: "string" },
    },
    { x: 1, y: 1, z: 1 },
    { x: 1, y: "s" },
  ),
  ...of(
    "escapes in paths",
    { additionalProperties: { type: "string" } },
    { "a/b": 1 },
    { "a~b": 1 },
    { "a b%c": 1 },
    { "é?#": 1 },
    { "$&+,:;=@": 1 },
    { "it's!*()": 1 },
    { '"<>[]^`{|}\\': 1 },
  ),
  ...of("nested path", { items: { properties: { x: { items: { type: "string" } } } } }, [{}, { x: ["a", 1] }]),
  ...of("not", { not: { type: "string" } }, "x", 1),
  ...of("allOf", { allOf: [{ type: "string" }, { minimum: 5 }] }, 1, "x", 7),
  ...of("anyOf", { anyOf: [{ type: "string" }, { minimum: 5 }] }, 1, "x", true, null),
  ...of("anyOf same", { anyOf: [{ type: "string" }, { type: "string" }] }, 1),
  ...of("oneOf none", { oneOf: [{ type: "string" }, { minimum: 5 }] }, 1),
  ...of("oneOf two", { oneOf: [{ type: "boolean" }, { minimum: 5 }, { maximum: 50 }, true] }, 7),
  ...of(
    "if then else",
    JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}}'),
    "a",
    1,
    "ab",
    5,
  ),
  ...of("if alone", { if: { type: "string" } }, "a", 1),
  ...of("nested alternatives", { anyOf: [{ allOf: [{ type: "string" }, { minLength: 3 }] }, { not: {} }, false] }, 1),
  ...of("false", false, 1),
  ...of("true and empty", { properties: { a: true, b: {} } }, { a: 1, b: 2 }),
  ...of("contentEncoding", { contentEncoding: "base64" }, "YQ==", "YQ", "!", 5),
  ...of("contentMediaType", { contentMediaType: "application/json" }, "{}", "{", ""),
  ...of(
    "content",
    { contentEncoding: "base64", contentMediaType: "application/json", contentSchema: { type: "array" } },
    "W10=",
    "e30=",
    "ew==",
    "!",
  ),
  ...of("content of another type", { contentMediaType: "text/plain", contentEncoding: "quoted-printable" }, "x"),
  ...Object.entries(formats).flatMap(([format, values]) => of(`format ${format}`, { format }, ...values)),
  ...of("format of text with quotes", { format: "date" }, 'it\'s "é"\n'),
  ...whole("root required", { required: ["x"] }, {}, { x: 1 }, { y: 1 }),
  ...whole("root without attributes", { type: "object" }, {}),
  ...whole("root without attributes, no type", { minProperties: 1, required: ["x"] }, {}),
  ...whole("root string", { type: "string" }, { a: 1 }),
  ...whole("root additionalProperties", { additionalProperties: false }, { a: 1 }),
  ...whole("root false", false, { a: 1 }),
  ...whole("root true", true, { a: 1 }),
  ...whole(
    "$ref",
    { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } } },
    { a: 1 },
    { a: "x" },
  ),
  ...whole(
    "$ref with siblings",
    { properties: { a: { $ref: "#/$defs/x", minLength: 5 } }, $defs: { x: { pattern: "b" } } },
    { a: "a" },
  ),
  ...whole(
    "$ref to an anchor",
    { properties: { a: { $ref: "#x" } }, $defs: { x: { $anchor: "x", type: "string" } } },
    { a: 1 },
  ),
  ...whole(
    "$ref escaped",
    { properties: { a: { $ref: "#/$defs/x~1y%20z" } }, $defs: { "x/y z": { type: "string" } } },
    { a: 1 },
  ),
  ...whole("$ref recursive", { properties: { a: { $ref: "#" }, b: { type: "string" } } }, { a: { a: { b: 1 } } }),
  ...whole(
    "$ref to another schema",
    { properties: { a: { $ref: "cerbos:///shared.json#/$defs/name" } } },
    { a: 1 },
    { a: "x" },
  ),
  ...whole(
    "$ref to another schema, relative",
    { properties: { a: { $ref: "shared.json" } } },
    { a: 1 },
    { a: { n: 1 } },
  ),
  ...whole(
    "$dynamicRef",
    {
      $id: "cerbos:///dynamic",
      $ref: "#/$defs/tree",
      $defs: {
        node: { $dynamicAnchor: "node", required: ["n"] },
        tree: { properties: { kids: { items: { $dynamicRef: "#node" } } } },
      },
    },
    { kids: [{}] },
  ),
  ...whole(
    "draft 7",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { x: { type: "string" } },
      properties: {
        a: { $ref: "#/definitions/x", minLength: 5 },
        b: { items: [{ type: "string" }, true], additionalItems: false },
        c: { items: [true], additionalItems: { type: "string" } },
        d: { contains: { type: "string" } },
        e: { dependentRequired: { x: ["y"] } },
      },
      dependencies: { a: ["z", "y"], b: { required: ["w"] } },
    },
    { a: "x" },
    { b: [1, 2, 3] },
    { c: [1, 2] },
    { d: [] },
    { e: { x: 1 } },
  ),
  ...whole(
    "draft 2019",
    {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      $recursiveAnchor: true,
      properties: { a: { items: [{ type: "string" }], additionalItems: false }, b: { $recursiveRef: "#" } },
      unevaluatedProperties: false,
    },
    { a: [1, 2] },
    { b: { a: [1], c: 1 } },
  ),
];

/** What other schemas refer to. */
export const SHARED_SCHEMA = {
  type: "object",
  required: ["id"],
  properties: { n: { type: "string" } },
  $defs: { name: { type: "string", minLength: 2 } },
};

const policy = (kind: string) => ({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    resource: kind,
    version: "default",
    schemas: { resourceSchema: { ref: `cerbos:///${kind}.json` } },
    rules: [{ actions: ["x"], roles: ["r"], effect: "EFFECT_ALLOW" }],
  },
});

/** A policy and a schema for each case, of a kind that has its number. */
export const SCHEMA_FILES: { readonly [path: string]: string } = Object.fromEntries([
  ["_schemas/shared.json", JSON.stringify(SHARED_SCHEMA)],
  ...SCHEMA_CASES.flatMap(({ schema }, i) => [
    [`_schemas/k${i}.json`, JSON.stringify(schema)],
    [`k${i}.json`, JSON.stringify(policy(`k${i}`))],
  ]),
]);

/** Checks of some cases. */
export function schemaRequest(from = 0, to = SCHEMA_CASES.length): object {
  const resources = SCHEMA_CASES.map(({ attr }, i) => ({ actions: ["x"], resource: { kind: `k${i}`, id: "1", attr } }));
  return { principal: { id: "p", roles: ["r"] }, resources: resources.slice(from, to) };
}
