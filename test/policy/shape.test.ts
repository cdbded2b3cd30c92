/** Documents against their shapes: this library and ajv refuse the same documents, at the same places. */

import { Ajv, type ErrorObject } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IssueLog } from "../../src/policy/issue-log.js";
import { hasShape } from "../../src/policy/shape/check.js";
import { DOCUMENT_SHAPES } from "../../src/policy/shape/document.js";
import { choice, type DocumentShape } from "../../src/policy/shape/shape.js";
import { Source } from "../../src/policy/text/source.js";
import type { TreeNode } from "../../src/policy/text/tree.js";
import { parseYaml } from "../../src/policy/text/yaml.js";
import { CERBOS_SHAPES } from "../../src/testing/cerbos/shapes.js";
import { FIXTURES_SHAPE, SUITE_SHAPE } from "../../src/testing/decisions/shape.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

const SHAPES: readonly (readonly [name: string, shape: DocumentShape])[] = [
  ...Object.entries(DOCUMENT_SHAPES),
  ...Object.entries(CERBOS_SHAPES).map(([kind, shape]) => [`Cerbos ${kind}`, shape] as const),
  ["decision suite", SUITE_SHAPE],
  ["fixtures", FIXTURES_SHAPE],
];

const SCRAP = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, "", "a", "!", "😀", "EFFECT_DENY", "a b", "#/", "a.b.c"),
  fc.constantFrom([], {}, ["a", "a"], [[]], { a: null }, { name: "a" }),
);

const KEY = fc.constantFrom("a", "b.c", "", "name", "rules", "a/b~c", "toString");

/** Values close to a shape, with an occasional wrong part. */
function nearly(shape: DocumentShape, root: DocumentShape, depth = 6): fc.Arbitrary<unknown> {
  const { $ref } = shape;
  const named = $ref === undefined ? shape : root.$defs?.[$ref.replace("#/$defs/", "")];
  if (named === undefined) throw new Error(`there is no ${$ref}`);
  const right = depth === 0 ? fc.constant(null) : rightly(named, root, depth - 1);
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: SCRAP });
}

function rightly(shape: DocumentShape, root: DocumentShape, depth: number): fc.Arbitrary<unknown> {
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
    // Includes most required fields, and mostly one alternative of a choice.
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

/** The position of an ajv error: an unknown field at the field's name, a bad name at its mapping. */
function placeOf(error: ErrorObject, root: TreeNode): number | undefined {
  let node: TreeNode | undefined = root;
  for (const step of error.instancePath.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (node?.kind === "list") node = node.items[Number(name)];
    else if (node?.kind === "map") node = node.entries.get(name)?.value;
  }
  if (node === undefined) throw new Error(`nothing stands at ${error.instancePath}`);
  const unknown: unknown = error.params.additionalProperty;
  return node.kind === "map" && typeof unknown === "string" ? node.entries.get(unknown)?.key.start : node.start;
}

/** A redundant ajv error: a wrong number of fields where one of them is already reported as unknown. */
function isEcho({ keyword, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword !== "minProperties" && keyword !== "maxProperties") return false;
  return all.some((other) => other.keyword === "additionalProperties" && other.instancePath === instancePath);
}

describe("as ajv", () => {
  test.each(SHAPES)("%s", { tags: "long" }, (_, shape) => {
    const validate = new Ajv({ allErrors: true, verbose: true }).compile(shape);
    let refused = 0;
    fc.assert(
      fc.property(nearly(shape, shape), (document) => {
        const source = new Source("a.json", JSON.stringify(document));
        const tree = parseYaml(source, new IssueLog());
        if (tree === undefined) return;
        const log = new IssueLog();
        const fits = validate(document);
        expect(hasShape(tree, shape, source, log)).toBe(fits);
        const errors = (validate.errors ?? []).filter((error) => !isEcho(error, validate.errors ?? []));
        const places = errors.map((error) => placeOf(error, tree));
        expect(new Set(log.inOrder.map(({ column }) => column - 1))).toEqual(new Set(places));
        if (!fits) refused++;
      }),
      { numRuns: sized(20_000) },
    );
    expect(refused).toBeGreaterThan(sized(20_000) / 4);
  });
});

/** The faults that this library reports for a document of a shape. */
function faultsOf(shape: DocumentShape, text: string): readonly string[] {
  const source = new Source("a.yaml", text);
  const tree = parseYaml(source, new IssueLog());
  if (tree === undefined) throw new Error("not YAML");
  const log = new IssueLog();
  expect(hasShape(tree, shape, source, log)).toBe(log.size === 0);
  return log.inOrder.map(
    ({ line, column, message, hint }) => `${line}:${column} ${message}${hint ? ` (${hint})` : ""}`,
  );
}

const FIELDS: DocumentShape = {
  type: "object",
  properties: {
    kind: { type: "string", const: "a" },
    size: { type: "string", enum: ["SIZE_SMALL", "SIZE_LARGE"] },
    names: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, uniqueItems: true },
    id: { type: "string", pattern: "^[a-z]+$", description: "small letters" },
    one: choice({ x: {}, y: {} }),
    map: { type: "object", additionalProperties: { type: "boolean" }, propertyNames: { type: "string", minLength: 1 } },
  },
  required: ["kind"],
  additionalProperties: false,
};

test.each([
  ["kind: a", []],
  ["size: SIZE_SMALL", ['1:1 the field "kind" is missing']],
  ["kind: b", ['1:7 "kind" must be "a"']],
  ["kind: 1", ['1:7 "kind" must be text', '1:7 "kind" must be "a"']],
  [
    "kind:",
    ['1:6 "kind" must be text (the value of "kind" must be indented deeper than the field)', '1:6 "kind" must be "a"'],
  ],
  ["kind: a\nsize: LARGE", ['2:7 "size" must be one of SIZE_SMALL, SIZE_LARGE (did you mean "SIZE_LARGE"?)']],
  ["kind: a\nsize: [1]", ['2:7 "size" must be text', '2:7 "size" must be one of SIZE_SMALL, SIZE_LARGE']],
  ["kind: a\nnames: []", ['2:8 "names" must not be empty']],
  ["kind: a\nnames: [b, b]", ['2:8 "names" must not name anything twice']],
  [
    'kind: a\nnames: ["", {}, true]',
    ['2:9 "names[0]" must not be empty', '2:13 "names[1]" must be text', '2:17 "names[2]" must be text'],
  ],
  ["kind: a\nid: A", ['2:5 "A" is not allowed as "id": it takes small letters']],
  ["kind: a\nkinds: 1", ['2:1 unknown field "kinds" (did you mean "kind"?)']],
  ["kind: a\nrules: 1", ['2:1 unknown field "rules" (it belongs to the policy: indent it like the entries there)']],
  ["kind: a\none: {}", ['2:6 "one" must have exactly one of x, y']],
  ["kind: a\none: {x: 1, y: 2}", ['2:6 "one" must have exactly one of x, y']],
  ["kind: a\none: {x: 1, z: 2}", ['2:13 unknown field "z" (did you mean "x"?)']],
  ['kind: a\nmap: {"": true, b: 1}', ['2:6 "map" must not have "" for a key', '2:20 "b" must be true or false']],
  ["[]", ["1:1 the document must be a mapping"]],
] as const)("%s", (text, faults) => {
  expect(faultsOf(FIELDS, text)).toEqual(faults);
});
