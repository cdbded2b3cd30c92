/**
 * Recorded results for JSON Schemas: the faults of values in each draft, and the declared types. Any change to them
 * shows here; `test/cerbos/schema.test.ts` shows that the faults equal the server's.
 * `KEYWARD_WRITE=1 npx vitest run test/schema` records anew.
 */

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { isObject, type JsonValue } from "../../src/cel/json.js";
import { declaredBy, type SchemaDeclaration } from "../../src/schema/declaration.js";
import { type DeclaredSchemaType, SchemaTypes } from "../../src/schema/declared-type.js";
import { SchemaDocuments } from "../../src/schema/documents.js";
import { faultOf } from "../../src/schema/meta-schemas.js";
import { SchemaTree } from "../../src/schema/tree.js";
import { SchemaValidator } from "../../src/schema/validator.js";
import { Recording } from "../support/recording.js";

/** Schemas with every keyword, values that they distinguish, and valid and invalid texts of each format. */
const { schemas, values, texts: formats }: Corpus = JSON.parse(readFileSync("test/schema/corpus.json", "utf8"));

interface Corpus {
  readonly schemas: readonly JsonValue[];
  readonly values: readonly JsonValue[];
  readonly texts: { readonly [format: string]: readonly string[] };
}

const recording = new Recording("test/schema/readings.json");
afterAll(() => recording.close());

function expectRecorded(what: string, now: object): void {
  const [short, known] = recording.ofTexts(what, [JSON.stringify(now)]);
  expect(short).toBe(known);
}

const REF = "cerbos:///dir/a.json";
const DRAFTS = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", ""];

/** The step budget of a validation is below this. */
const MOST_STEPS = 1_000_000;

const OTHER: JsonValue = {
  $id: "b.json",
  type: "integer",
  $defs: { word: { $anchor: "word", type: "string", minLength: 2 }, "a/b~c": { const: 1 } },
};

/** The documents of a schema: the schema in the given draft, and another document for its references. */
function documentsOf(schema: JsonValue, draft: string): ReadonlyMap<string, JsonValue> {
  const own = isObject(schema) && draft !== "" ? { $schema: draft, ...schema } : schema;
  return new Map([
    [REF, own],
    ["cerbos:///dir/b.json", OTHER],
  ]);
}

/** The faults of each value, as `path message`; valid values are left out. */
function faultsIn(schema: JsonValue, draft: string): readonly string[] {
  const validator = new SchemaValidator(documentsOf(schema, draft));
  return values.flatMap((value, i) => {
    const faults = validator.validate(REF, value).map(({ path, message }) => `${path} ${message}`);
    return faults.length === 0 ? [] : [`${i}: ${faults.join("; ")}`];
  });
}

describe.each(schemas.map((schema) => [JSON.stringify(schema), schema] as const))("%s", (name, schema) => {
  test("validates", () => {
    const [first = [], ...others] = DRAFTS.map((draft) => faultsIn(schema, draft));
    const same = others.map((faults) => (faults.join() === first.join() ? "the same" : faults));
    expectRecorded(`${name}: faults`, [first, ...same]);
  });

  test("takes so many steps", () => {
    const properties = { values: { items: schema }, rest: true };
    const validator = new SchemaValidator(documentsOf({ properties }, ""));
    // A text of 32 characters costs one step, and no time if nothing constrains it.
    recording.expectMost(`${name}: steps that are left`, (size) => {
      const faults = validator.validate(REF, { values, rest: "x".repeat(32 * size) });
      return size <= MOST_STEPS && !faults.some(({ message }) => message.includes("steps"));
    });
  });

  test("declares", () => {
    const documents = documentsOf(schema, "");
    const tree = new SchemaTree(documents);
    const types = new SchemaTypes(documents).at(REF);
    const texts = DRAFTS.map((draft) => declaredText(declaredBy(documentsOf(schema, draft), REF)));
    const alternatives = tree.alternatives(tree.at(REF)).map((one) => JSON.stringify(one.schema));
    const below = ["a", "b"].map((one) => JSON.stringify(tree.below(tree.at(REF), one).schema));
    expectRecorded(`${name}: declared`, [...new Set(texts), types ? typedText(types) : "free", alternatives, below]);
  });

  test("is a schema, and refers to others", () => {
    const texts = DRAFTS.map((draft) => {
      const documents = new SchemaDocuments(documentsOf(schema, draft));
      const root = documents.resolve(REF, undefined);
      const resource = isObject(root) ? documents.resourceOf(root) : undefined;
      const { references, applied } = isObject(root) ? documents.usesOf(root) : { references: [], applied: [] };
      const ends = references.map((one) => resource && (documents.documentOf(one, resource) ?? "here"));
      const endless = documents.endless(root === undefined ? [] : [root, ...applied]);
      return JSON.stringify([faultOf(schema), references, ends, documents.followed(root), applied, endless]);
    });
    expectRecorded(`${name}: refers`, [...new Set(texts)]);
  });
});

function declaredText(value: SchemaDeclaration, depth = 0): string {
  const own = [[...value.types].sort().join("|"), value.integer ? "whole" : "", JSON.stringify(value.values) ?? ""];
  if (depth === 3) return own.join(" ");
  const names = [...value.names, "another"];
  const fields = names.map((name) => {
    const field = value.field(name);
    return `${name} ${field.declared}${field.required ? "!" : ""} ${field.isFree ? "" : declaredText(field, depth + 1)}`;
  });
  return `${own.join(" ")} {${fields.join(", ")}} [${value.items.isFree ? "" : declaredText(value.items, depth + 1)}]`;
}

function typedText(value: DeclaredSchemaType, depth = 0): string {
  const { kinds, scalars, listed, hasParts, words, names } = value;
  const own = [kinds, scalars && JSON.stringify([...scalars]), JSON.stringify(listed), hasParts, words].join(" ");
  if (depth === 2) return own;
  const of = (one: DeclaredSchemaType | undefined) => (one === undefined ? "free" : typedText(one, depth + 1));
  const members = [...names, undefined].map((name) => `${name}: ${of(value.member(name))}`);
  return `${own} {${members.join(", ")}} [${of(value.items)}]`;
}

test.each(Object.entries(formats))("texts of the format %s", (format, texts) => {
  const validator = new SchemaValidator(new Map([[REF, { format }]]));
  expectRecorded(
    `${format}: not valid`,
    texts.filter((text) => validator.validate(REF, text).length > 0),
  );
});

/** The largest valid size of each: one more step exceeds the step budget. */
test.each<readonly [what: string, schema: JsonValue, value: (size: number) => unknown]>([
  ["items", { items: true }, (size) => Array(size).fill(1)],
  ["different items", { uniqueItems: true }, (size) => Array.from({ length: size }, (_, i) => i)],
  ["different texts", { uniqueItems: true }, (size) => Array.from({ length: size }, (_, i) => `${i}${"x".repeat(90)}`)],
  ["characters", {}, (size) => "x".repeat(size)],
  ["faults with long messages", { items: { const: "x".repeat(400) } }, (size) => Array(size).fill(1)],
  ["faults of faults", { items: { allOf: [{ allOf: [{ type: "string" }] }] } }, (size) => Array(size).fill(1)],
  ["faults", { items: { type: "string" } }, (size) => Array(size).fill(1)],
  [
    "names for patterns",
    { patternProperties: { a: true, b: true, c: true } },
    (size) => Object.fromEntries(Array.from({ length: size }, (_, i) => [i, 1])),
  ],
  [
    "schemas in one place",
    { items: { allOf: Array(50).fill({ minLength: 1, maxLength: 3 }) } },
    (size) => Array(size).fill("x"),
  ],
  [
    "schemas that are looked at for one",
    { items: { oneOf: [{ type: "null" }, { type: "string" }, { type: "number" }] } },
    (size) => Array(size).fill(1),
  ],
  ["items that are looked for", { contains: { const: 1 } }, (size) => Array(size).fill(2)],
  ["long texts for patterns", { items: { pattern: "^x" } }, (size) => Array(size).fill("x".repeat(320))],
])("so many %s are validated, and no more", { tags: "long" }, (what, schema, made) => {
  const validator = new SchemaValidator(new Map([[REF, schema]]));
  const isDone = (size: number) =>
    !validator.validate(REF, made(size)).some(({ message }) => message.includes("steps"));
  recording.expectMost(`the most ${what}`, isDone);
});

test("there is no schema where nothing is", () => {
  const validator = new SchemaValidator(documentsOf({}, ""));
  expect(validator.validate("cerbos:///dir/none.json", 1)).toEqual([
    { path: "", message: "schema cerbos:///dir/none.json doesn't exist" },
  ]);
});
