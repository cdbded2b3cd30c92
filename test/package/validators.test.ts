/** The generated validators are current, and find what ajv finds that compiles their shapes in the process. */

import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Shape } from "../../src/policy/shape/shape.js";
import type { Validator } from "../../src/schema/ajv.js";
import { hasFormat } from "../../src/schema/formats.js";
import { ROOT } from "../support/built.js";
import { sized } from "../support/size.js";
import { DRAFT_OPTIONS, DRAFTS, documentsOf, FORMATS, SHAPE_OPTIONS, SHAPES, validatorFiles } from "./validators.js";
import "../support/seed.js";

test("the files are what `npm run validators` writes, and there are no others", async () => {
  const files = await validatorFiles(ROOT);
  for (const [path, text] of files) expect(readFileSync(ROOT + path, "utf8"), path).toBe(text);
  const there = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" }).map((path) => `src/${path}`);
  expect(there.filter((path) => /\/generated\/./.test(path)).sort()).toEqual([...files.keys()].sort());
});

/** All that is said of an error of a shape: its words, and what `explain` reads of the shape. */
function saidOf(validate: Validator): unknown {
  return validate.errors?.map(({ keyword, instancePath, params, propertyName, data, parentSchema }) => ({
    keyword,
    instancePath,
    params,
    propertyName,
    data,
    shape: readOf(parentSchema),
  }));
}

function readOf(shape: unknown): object {
  const { properties, enum: values, description, type }: Shape = Object(shape);
  return { fields: Object.keys(properties ?? {}), values, description, type };
}

/** Values that have much of a shape, and now and then something else in its place. */
function nearly(shape: Shape, root: Shape, depth = 6): fc.Arbitrary<unknown> {
  const { $ref } = shape;
  const named = $ref === undefined ? shape : root.$defs?.[$ref.replace("#/$defs/", "")];
  if (named === undefined) throw new Error(`there is no ${$ref}`);
  const right = depth === 0 ? fc.constant(null) : rightly(named, root, depth - 1);
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: SCRAP });
}

const SCRAP = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, "", "a", "!", "😀", "\ud800", "EFFECT_DENY", "a b", "#/", "a.b.c"),
  fc.constantFrom([], {}, ["a", "a"], [[]], { a: null }, { name: "a" }),
);

const KEY = fc.constantFrom("a", "b.c", "", "name", "rules", "a/b~c", "toString");

function rightly(shape: Shape, root: Shape, depth: number): fc.Arbitrary<unknown> {
  const { type, properties, additionalProperties, items } = shape;
  if (shape.const !== undefined) return fc.constantFrom(shape.const, "");
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum);
  if (type === "string") return fc.constantFrom("a", "default", "a.b", "view", "");
  if (type === "boolean") return fc.boolean();
  if (type === "array") return fc.array(nearly(items ?? {}, root, depth), { maxLength: 3 });
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, part]) => [name, nearly(part, root, depth)] as const);
    const extra = fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.dictionary(KEY, SCRAP) },
    );
    // Most of what is required is there, and a choice is mostly one.
    const chosen =
      shape.maxProperties === 1
        ? fc.oneof(...fields.map(([name, value]) => fc.record({ [name]: value })))
        : fc.record(Object.fromEntries(fields), { requiredKeys: [...(shape.required ?? [])] });
    return fc.tuple(chosen, extra).map(([own, more]) => ({ ...own, ...more }));
  }
  if (typeof additionalProperties === "object")
    return fc.dictionary(KEY, nearly(additionalProperties, root, depth), { maxKeys: 3 });
  return SCRAP;
}

describe.each(Object.entries(SHAPES))("%s", (folder, shapes) => {
  test.each(Object.entries(shapes))("%s: the same errors in the same order", { tags: "long" }, async (name, shape) => {
    const { validators } = await import(new URL(`../../src/${folder}/generated/validators.js`, import.meta.url).href);
    const validate: Validator | undefined = validators[name];
    if (validate === undefined) throw new Error(`there is no validator of ${name}`);
    const compiled = new Ajv(SHAPE_OPTIONS).compile(shape);
    let refused = 0;
    fc.assert(
      fc.property(nearly(shape, shape), (document) => {
        const accepted = compiled(document);
        expect(validate(document)).toBe(accepted);
        expect(saidOf(validate)).toEqual(saidOf(compiled));
        if (!accepted) refused++;
      }),
      { numRuns: sized(20_000) },
    );
    expect(refused).toBeGreaterThan(sized(20_000) / 4);
  });
});

/** The keywords of a draft, with values of every kind, right ones among them. */
function schemas(keywords: readonly string[]): fc.Arbitrary<unknown> {
  const texts = fc.constantFrom("object", "string", "a+", "(", "https://example.com/a", "#/a", "a b", "%", "");
  const scalars = fc.oneof(texts, fc.constantFrom<unknown>(true, 0, 1.5, -1, null, ["string"], ["a", "a"], [], {}));
  return fc.letrec((tie) => {
    const value = fc.oneof(
      { maxDepth: 3 },
      scalars,
      tie("schema"),
      fc.array(tie("schema"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "(", "a/b"), tie("schema"), { maxKeys: 2, noNullPrototype: true }),
    );
    return { schema: fc.dictionary(fc.constantFrom(...keywords), value, { maxKeys: 3, noNullPrototype: true }) };
  }).schema;
}

test.each(Object.entries(DRAFTS))(
  "%s: the same errors in the same order",
  { tags: "long" },
  async (name, { main, Compiler }) => {
    const { validate }: { validate: Validator } = await import(`../../src/schema/generated/${name}.js`);
    const documents = documentsOf(Compiler);
    const ajv = new Compiler(DRAFT_OPTIONS);
    for (const format of FORMATS) ajv.addFormat(format, (text) => hasFormat(text, format));
    for (const document of documents) ajv.addSchema(document);
    let [accepted, refused] = [0, 0];
    const keywords = [...new Set(documents.flatMap((document) => Object.keys(document.properties ?? {})))];
    fc.assert(
      fc.property(schemas(keywords), (schema) => {
        const fits = ajv.validate(main, schema);
        expect(validate(schema)).toBe(fits);
        expect(validate.errors ?? []).toEqual(ajv.errors ?? []);
        if (fits) accepted++;
        else refused++;
      }),
      { numRuns: sized(20_000) },
    );
    expect(accepted).toBeGreaterThan(sized(20_000) / 20);
    expect(refused).toBeGreaterThan(sized(20_000) / 4);
  },
);
