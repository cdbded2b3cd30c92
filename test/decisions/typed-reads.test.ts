/** Attributes that violate the policies' JSON Schemas: reading one is an error (docs/verdicts.md). */

import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { type CompileOptions, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const SCHEMA = {
  type: "object",
  properties: {
    frozen: { type: "boolean" },
    name: { type: ["string", "null"] },
    count: { type: "integer" },
    ratio: { type: "number" },
    state: { enum: ["open", "shut"] },
    version: { const: 2 },
    point: { enum: [{ x: 1 }, [1, 2]] },
    tags: { type: "array", items: { type: "string" } },
    counts: { type: "array", items: { type: "integer" } },
    limits: {
      type: "object",
      properties: { keys: { type: "integer" }, apis: { type: "integer" }, label: {} },
      additionalProperties: { type: "boolean" },
    },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    both: { allOf: [{ type: ["string", "number"] }, { type: ["number", "boolean"] }] },
    referred: { $ref: "#/$defs/flag" },
    free: {},
    matched: {
      type: "object",
      patternProperties: { "^x": { type: "string" } },
      additionalProperties: { type: "string" },
    },
    rows: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } },
  },
  $defs: { flag: { type: "boolean" } },
};

const SCHEMAS =
  "schemas: {principalSchema: {ref: 'cerbos:///p.json'}, resourceSchema: {ref: 'cerbos:///r.json', ignoreWhen: {actions: ['draft']}}}";

function set(expr: string, options: CompileOptions = {}): PolicySet {
  const rules = [
    'actions: ["*"], roles: [user], effect: EFFECT_ALLOW',
    `name: stop, actions: ["*"], roles: [user], effect: EFFECT_DENY, ${when(expr)}`,
  ];
  const files = [
    { path: "doc.yaml", text: policy({ body: SCHEMAS, rules }) },
    { path: "_schemas/p.json", text: JSON.stringify(SCHEMA) },
    { path: "_schemas/r.json", text: JSON.stringify(SCHEMA) },
  ];
  return compiled([...supportAll("doc"), ...files], options);
}

/** The permission layer's verdict by closures and by a generated function, which must agree. */
function said(
  expr: string,
  attr: { readonly [name: string]: JsonValue },
  options: CompileOptions = {},
  action = "read",
) {
  const request: DecisionRequest = plain({
    key: { id: "k", roles: ["user"], attr },
    operation: action,
    resource: { kind: "doc", id: "d", attr },
    account: { id: "a", attr: {} },
  });
  const [closures, generated] = [false, true].map((codegen) => {
    const policies = set(expr, { ...options, codegen });
    for (let i = 0; i < 25; i++) decide(policies, request);
    return decide(policies, request).permission;
  });
  expect(generated).toEqual(closures);
  const [error] = closures?.errors ?? [];
  return error?.message ?? closures?.effect;
}

function plain(request: unknown) {
  return JSON.parse(JSON.stringify(request));
}

const misfit = (name: string, words: string) => `the value of ${name} is not as declared: ${words}`;

describe("one value", () => {
  test.each<[expr: string, attr: { readonly [name: string]: JsonValue }, answer: string]>([
    ["P.attr.frozen == true", { frozen: true }, "deny"],
    ["P.attr.frozen == true", { frozen: false }, "allow"],
    ["P.attr.frozen == true", { frozen: "true" }, misfit("frozen", "boolean")],
    ["P.attr.frozen == true", { frozen: 1 }, misfit("frozen", "boolean")],
    ["P.attr.frozen == true", { frozen: null }, misfit("frozen", "boolean")],
    ["P.attr.frozen == true", {}, "no such key: frozen"],
    ["R.attr.name == 'x'", { name: null }, "allow"],
    ["R.attr.name == 'x'", { name: 1 }, misfit("name", "null or string")],
    ["R.attr.count == 1", { count: 2 }, "allow"],
    ["R.attr.count == 1", { count: 1.5 }, misfit("count", "integer")],
    ["R.attr.ratio == 1", { ratio: 1.5 }, "allow"],
    ["R.attr.state == 'shut'", { state: "open" }, "allow"],
    ["R.attr.state == 'shut'", { state: "Shut" }, misfit("state", "one of 2 values")],
    ["R.attr.state == 'shut'", { state: ["shut"] }, misfit("state", "one of 2 values")],
    ["R.attr.version == 3", { version: 2 }, "allow"],
    ["R.attr.version == 3", { version: 1 }, misfit("version", "one value")],
    ["R.attr.point == 1", { point: { x: 1 } }, "allow"],
    ["R.attr.point == 1", { point: [1, 2] }, "allow"],
    ["R.attr.point == 1", { point: { x: 2 } }, misfit("point", "one of 2 values")],
    ["R.attr.either == 'x'", { either: ["y"] }, "allow"],
    ["R.attr.either == 'x'", { either: 1 }, misfit("either", "array or string")],
    ["R.attr.both == 1", { both: 2 }, "allow"],
    ["R.attr.both == 1", { both: "2" }, misfit("both", "number")],
    ["R.attr.referred == true", { referred: 0 }, misfit("referred", "boolean")],
    ["R.attr.free == true", { free: "anything" }, "allow"],
    ["R.attr.undeclared == true", { undeclared: "anything" }, "allow"],
    ["true || R.attr.frozen", { frozen: "x" }, "deny"],
    ["R.attr.frozen || true", { frozen: "x" }, "deny"],
  ])("%s, %j: %s", (expr, attr, answer) => {
    expect(said(expr, attr)).toBe(answer);
  });
});

describe("what is in a value", () => {
  const TAGS = misfit("tags", "array");
  const LIMITS = misfit("limits", "object");
  test.each<[expr: string, attr: { readonly [name: string]: JsonValue }, answer: string]>([
    ["'x' in R.attr.tags", { tags: ["y"] }, "allow"],
    ["'x' in R.attr.tags", { tags: { x: true } }, TAGS],
    ["'x' in R.attr.tags", { tags: ["y", 1] }, TAGS],
    ["hasIntersection(R.attr.tags, ['x'])", { tags: [1] }, TAGS],
    ["R.attr.tags.exists(t, t == 'x')", { tags: [["x"]] }, TAGS],
    ["size(R.attr.tags) == 1", { tags: [null] }, TAGS],
    ["R.attr.tags[0] == 'x'", { tags: ["x", 1] }, TAGS],
    ["1 in R.attr.counts", { counts: [2] }, "allow"],
    ["1 in R.attr.counts", { counts: [1.5] }, misfit("counts", "array")],
    ["R.attr.rows.exists(r, r.n == 1)", { rows: [{ n: 2 }, {}] }, "no such key: n"],
    ["R.attr.rows.exists(r, r.n == 1)", { rows: [{ n: 2 }, { n: "1" }] }, misfit("rows", "array")],
    // A member is checked by itself: its siblings do not matter.
    ["R.attr.limits.keys == 1", { limits: { keys: 2, apis: "x" } }, "allow"],
    ["R.attr.limits.keys == 1", { limits: { keys: "1" } }, misfit("keys", "integer")],
    ["R.attr.limits.keys == 1", { limits: [1] }, LIMITS],
    ["R.attr.limits.label == 1", { limits: { label: "x" } }, "allow"],
    ["R.attr.limits.other == true", { limits: { other: "true" } }, misfit("other", "boolean")],
    ["R.attr.matched.y == 'a'", { matched: { y: 1 } }, "allow"],
    // Reading a map as a whole checks all of it.
    ["R.attr.limits == {'keys': 1.0}", { limits: { keys: 2, apis: "x" } }, LIMITS],
    ["R.attr.limits['keys'] == 1", { limits: { keys: 2, apis: "x" } }, "allow"],
    ["R.attr.limits[R.attr.free] == 1", { limits: { keys: 2, apis: "x" }, free: "keys" }, LIMITS],
    ["R.attr.limits == {'keys': 1.0} || R.attr.limits.keys == 2", { limits: { keys: 2, apis: "x" } }, "deny"],
    ["'keys' in R.attr.limits", { limits: { apis: 1.5 } }, LIMITS],
    ["R.attr['frozen'] == true", { frozen: true, count: "x" }, "deny"],
    ["R.attr[R.attr.free] == true", { frozen: true, count: "x", free: "frozen" }, misfit("attr", "object")],
    ["R.attr == P.attr", { frozen: true }, "deny"],
    ["R.attr == P.attr", { frozen: "x" }, misfit("attr", "object")],
  ])("%s, %j: %s", (expr, attr, answer) => {
    expect(said(expr, attr)).toBe(answer);
  });
});

describe("what asks whether something is there", () => {
  test.each<[expr: string, attr: { readonly [name: string]: JsonValue }, answer: string]>([
    ["has(R.attr.frozen)", { frozen: "x" }, "deny"],
    ["has(R.attr.frozen) && R.attr.frozen", { frozen: "x" }, misfit("frozen", "boolean")],
    ["has(R.attr.limits.keys)", { limits: { apis: "x" } }, "allow"],
    ["has(R.attr.limits.keys)", { limits: "x" }, misfit("limits", "object")],
    ["R.attr.?frozen.orValue(false)", {}, "allow"],
    ["R.attr.?frozen.orValue(false)", { frozen: true }, "deny"],
    ["R.attr.?frozen.orValue(false)", { frozen: "true" }, misfit("frozen", "boolean")],
    ["R.attr.?frozen.orValue(false)", { count: "x" }, "allow"],
    ["R.attr.limits.?keys.orValue(1) == 2", { limits: { keys: "2" } }, misfit("keys", "integer")],
    ["R.attr.?tags.orValue([]) == ['x']", { tags: [1] }, misfit("tags", "array")],
  ])("%s, %j: %s", (expr, attr, answer) => {
    expect(said(expr, attr)).toBe(answer);
  });
});

test("rules of the same words about kinds with other types have functions of their own", () => {
  const row = (type: string) => ({ type: "object", properties: { n: { type } } });
  const schemaOf = (type: string) => JSON.stringify({ properties: { rows: { type: "array", items: row(type) } } });
  const files = (["string", "integer"] as const).flatMap((type) => [
    ...supportAll(type),
    {
      path: `${type}.yaml`,
      text: policy({
        resource: type,
        body: `schemas: {resourceSchema: {ref: "cerbos:///${type}.json"}}`,
        rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("size(R.attr.rows) == 1")}`],
      }),
    },
    { path: `_schemas/${type}.json`, text: schemaOf(type) },
  ]);
  for (const policies of [compiled(files), compiled(files, { codegen: false })]) {
    const effectOf = (kind: string, value: JsonValue) =>
      decide(policies, {
        key: { id: "k", roles: ["user"], attr: {} },
        operation: "read",
        resource: { kind, id: "d", attr: { rows: [{ n: value }] } },
        account: { id: "a", attr: {} },
      }).permission.effect;
    for (let i = 0; i < 30; i++) {
      const effects = ["string", "integer"].map((kind) => ["x", 1].map((value) => effectOf(kind, value)));
      expect(effects).toEqual([
        ["allow", "deny"],
        ["deny", "allow"],
      ]);
    }
  }
});

test("the type of one attribute is not that of another: a value that is no data is an error", () => {
  const expr = "P.attr.name == 'x' && R.attr.free == 'x'";
  for (const codegen of [true, false]) {
    const policies = set(expr, { codegen });
    for (const value of [new Date(0), () => "x", Symbol("x"), new Map()]) {
      const request: DecisionRequest = {
        key: { id: "k", roles: ["user"], attr: { name: "x" } },
        operation: "read",
        resource: { kind: "doc", id: "d", attr: Object({ free: value }) },
        account: { id: "a", attr: {} },
      };
      for (let i = 0; i < 25; i++) expect(decide(policies, request).permission.effect).toBe("deny");
      expect(decide(policies, request).permission.errors.map(({ message }) => message)).toEqual([
        "the value of free is not JSON data",
      ]);
    }
  }
});

describe("where it holds", () => {
  const attr = { frozen: "true" };

  test("not where it is switched off", () => {
    expect(said("R.attr.frozen == true", attr, { typedReads: false })).toBe("allow");
  });

  test("not for operations that ignore the schema", () => {
    expect(said("R.attr.frozen == true", attr, {}, "draft")).toBe("allow");
    expect(said("P.attr.frozen == true", attr, {}, "draft")).toBe(misfit("frozen", "boolean"));
  });

  test("of a long list; of more values than a request may have, nothing is known", { tags: "long" }, () => {
    const counts = (length: number) => ({ counts: Array.from({ length }, (_, i) => i + 2), rows: [] });
    expect(said("size(R.attr.counts) == 1", counts(90_000))).toBe("allow");
    expect(said("size(R.attr.counts) == 1", counts(1_000_001))).toBe("the value of counts is not JSON data");
  });
});
