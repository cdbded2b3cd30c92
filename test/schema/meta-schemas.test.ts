/** Recognizes valid JSON Schemas: the same as ajv does, and as another validator with the same meta-schemas does. */

import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { DRAFTS } from "../../src/schema/drafts.js";
import { hasFormat } from "../../src/schema/formats.js";
import { faultOf, metaSchemaAt } from "../../src/schema/meta-schemas.js";
import { SchemaValidator } from "../../src/schema/validator.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

const COMPILERS = { 7: Ajv, 2019: Ajv2019, 2020: Ajv2020 };

/** Schemas with the keywords of a draft, and values of every type, valid ones among them. */
function schemas(keywords: readonly string[]): fc.Arbitrary<{ readonly [keyword: string]: JsonValue }> {
  const texts = fc.constantFrom("object", "string", "a+", "(", "https://example.com/a", "#/a", "a b", "%", "");
  const scalars = fc.oneof(texts, fc.constantFrom<JsonValue>(true, 0, 1.5, -1, null, ["string"], ["a", "a"], [], {}));
  return fc.letrec<{ schema: { readonly [keyword: string]: JsonValue } }>((tie) => {
    const value: fc.Arbitrary<JsonValue> = fc.oneof(
      { maxDepth: 3 },
      scalars,
      tie("schema"),
      fc.array(tie("schema"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "(", "a/b"), tie("schema"), { maxKeys: 2, noNullPrototype: true }),
    );
    return { schema: fc.dictionary(fc.constantFrom(...keywords), value, { maxKeys: 3, noNullPrototype: true }) };
  }).schema;
}

describe.each([7, 2019, 2020] as const)("draft %s", (draft) => {
  const [main] = DRAFTS[draft];
  const keywords = [...new Set(DRAFTS[draft].flatMap((part) => Object.keys(Object(part.properties))))].filter(
    (keyword) => keyword !== "$schema",
  );

  test("the same schemas are refused as by ajv, at the same places, and by the schema of schemas in its parts", () => {
    const ajv = new COMPILERS[draft]({ strict: false, allErrors: true, meta: false, validateSchema: false });
    for (const format of ["regex", "uri", "uri-reference"]) ajv.addFormat(format, (text) => hasFormat(text, format));
    for (const document of DRAFTS[draft]) ajv.addSchema(document);
    const inParts = new SchemaValidator(new Map(DRAFTS[draft].map((part) => [part.$id.replace(/#$/, ""), part])));
    const run = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(schemas(keywords), (schema) => {
        const named = { $schema: main.$id, ...schema };
        const fault = faultOf(named);
        expect(fault === undefined).toBe(ajv.validate(main.$id, named));
        const faults = inParts.validate(main.$id.replace(/#$/, ""), named);
        const places = new Set(faults.map(({ path }) => (path === "/" ? "" : path)));
        expect(new Set(fault?.split("; ").map((each) => each.split(": ")[0]))).toEqual(
          new Set([...places].map((path) => `schema${path}`)),
        );
        run[fault === undefined ? "accepted" : "refused"]++;
      }),
      { numRuns: sized(20_000) },
    );
    expect(run.accepted).toBeGreaterThan(sized(20_000) / 20);
    expect(run.refused).toBeGreaterThan(sized(20_000) / 4);
  });

  test("the schema of schemas and its parts are schemas, and are there by their addresses", () => {
    for (const part of DRAFTS[draft]) {
      expect(faultOf(part)).toBeUndefined();
      expect(metaSchemaAt(part.$id.replace(/#$/, ""))).toBe(part);
    }
  });
});

test("a schema of many parts is checked to its end", () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: "string" }]));
  expect(faultOf({ properties })).toBeUndefined();
  expect(faultOf({ properties: { ...properties, last: { type: 1 } } })).toMatch(/^schema\/properties\/last\/type: /);
});

test("a draft has its address over HTTP and over HTTPS", () => {
  for (const [main] of Object.values(DRAFTS)) {
    for (const scheme of ["http:", "https:"]) {
      expect(faultOf({ $schema: main.$id.replace(/^https?:/, scheme) })).toBeUndefined();
    }
  }
});

test.each([
  [{ $schema: "https://example.com/schema" }, "there is no draft https://example.com/schema"],
  [{ $schema: "http://json-schema.org/draft-07/schema", type: "text" }, /^schema\/type: value must be one of "array"/],
  ["text", "a schema is an object or a boolean"],
  [{ pattern: "(?=a)" }, "schema/pattern: '(?=a)' is not a regular expression of RE2"],
  [{ required: ["a", "a"], minLength: -1 }, /^schema\/minLength: .*; schema\/required: /],
] as const)("%j: %s", (schema, fault) => {
  if (typeof fault === "string") expect(faultOf(schema)).toBe(fault);
  else expect(faultOf(schema)).toMatch(fault);
});
