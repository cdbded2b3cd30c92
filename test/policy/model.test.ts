import { describe, expect, test } from "vitest";
import type { Condition, Expression } from "../../src/policy/model.js";
import { issuesOf, modelOf, placesOf, resourcePolicy, set } from "./support.js";

function sourceOf(condition: Condition | undefined): unknown {
  if (condition === undefined) return undefined;
  return condition.kind === "expr" ? condition.expr.source : { [condition.kind]: condition.of.map(sourceOf) };
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`${items.length} items`);
  return item;
}

const policyOf = (text: string) => only(modelOf(text).resourcePolicies);
const ruleOf = (text: string) => only(policyOf(text).rules);

describe("a resource policy", () => {
  test("as the engine sees it", () => {
    const policy = policyOf(resourcePolicy("", "name: owners", "album:object"));
    expect(policy).toMatchObject({
      kind: "resource",
      key: "resource.album_object.vdefault",
      name: "album:object",
      resource: "album_object",
      version: "default",
      scope: "",
      scopePermissions: "override_parent",
      at: { file: "a.yaml", line: 3, column: 13 },
    });
    expect(only(policy.rules)).toEqual({
      name: "owners",
      named: true,
      derivedReason: undefined,
      actions: ["view"],
      actionPositions: [{ file: "a.yaml", line: 6, column: 17 }],
      effect: "allow",
      roles: ["user"],
      rolePositions: [{ file: "a.yaml", line: 8, column: 15 }],
      derivedRoles: [],
      condition: undefined,
      output: undefined,
      at: { file: "a.yaml", line: 6, column: 7 },
    });
  });

  test("protobuf spellings, numbers as text, empty fields, disabled files, comments, `$schema` and metadata", () => {
    const text = `# head
---
$schema: https://api.cerbos.dev/latest/cerbos/policy/v1/Policy.schema.json
api_version: api.cerbos.dev/v1
description:
metadata: {annotations: {owner: me}, source_attributes: {attributes: {x: [1]}}, hash: 12}
resource_policy:
  resource: doc
  version: 20210210
  import_derived_roles: []
  rules:
    - {name: , actions: [1, true], effect: EFFECT_DENY, roles: [user]}
---
# tail
`;
    const policy = only(
      modelOf({ "a.yaml": text, "b.yaml": `disabled: true\n${resourcePolicy("")}` }).resourcePolicies,
    );
    expect(policy.key).toBe("resource.doc.v20210210");
    expect(only(policy.rules)).toMatchObject({
      name: "rule-001",
      named: false,
      derivedReason: expect.stringMatching(/^deny_1_true_for_user_[0-9a-f]{8}$/),
      actions: ["1", "true"],
      effect: "deny",
    });
  });

  test("with `*` among them, other roles do not matter", () => {
    const rule = ruleOf(resourcePolicy("").replace('["user"]', '["user", "*", "admin"]'));
    expect(rule.roles).toEqual(["*"]);
    expect(rule.rolePositions).toEqual([{ file: "a.yaml", line: 8, column: 23 }]);
  });

  test("conditions nest", () => {
    const rule = ruleOf(
      resourcePolicy(
        "",
        "condition: {match: {all: {of: [{expr: '1 == 1'}, {none: {of: [{any: {of: [{expr: P.id == R.id}]}}]}}]}}}",
      ),
    );
    expect(sourceOf(rule.condition)).toEqual({ all: ["1 == 1", { none: [{ any: ["P.id == R.id"] }] }] });
  });

  test("outputs; the deprecated one replaces the others, and one must have an expression", () => {
    const sources = (output: string) => {
      const read = ruleOf(resourcePolicy("", `output: ${output}`)).output;
      return read === undefined ? undefined : [read.ruleActivated?.source, read.conditionNotMet?.source];
    };
    expect(sources("{when: {rule_activated: '1', conditionNotMet: '2'}}")).toEqual(["1", "2"]);
    expect(sources("{expr: '3', when: {conditionNotMet: '2'}}")).toEqual(["3", undefined]);
    expect(sources("{expr: '', when: {conditionNotMet: '2'}}")).toEqual([undefined, "2"]);
    for (const empty of ["{when: {}}", "{}", "{expr: ''}"])
      expect(() => sources(empty)).toThrow("the output has no expression");
  });

  test("JSON is read as YAML is", () => {
    const text = JSON.stringify(
      { apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource: "doc", version: "v1", rules: [] } },
      null,
      "\t",
    );
    expect(only(modelOf({ "a.json": text }).resourcePolicies)).toMatchObject({ key: "resource.doc.vv1", rules: [] });
  });

  test("anchors and merge keys", () => {
    const policy = policyOf(`apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - &first
      actions: [a]
      effect: EFFECT_ALLOW
      roles: &roles [user]
      condition: &condition {match: {expr: P.id == "x"}}
    - <<: *first
      actions: [b]
    - <<: *first
      effect: EFFECT_DENY
      roles: *roles
      condition: *condition
`);
    expect(policy.rules.map((rule) => [rule.actions, rule.effect, rule.roles, sourceOf(rule.condition)])).toEqual([
      [["a"], "allow", ["user"], 'P.id == "x"'],
      [["b"], "allow", ["user"], 'P.id == "x"'],
      [["a"], "deny", ["user"], 'P.id == "x"'],
    ]);
  });

  test("a merge of a mapping as it stands: keys that are there win", () => {
    const rule = "{<<: {actions: [a], roles: [other]}, roles: [user], effect: EFFECT_DENY}";
    const policy = policyOf(
      `apiVersion: api.cerbos.dev/v1\nresourcePolicy: {resource: doc, version: default, rules: [${rule}]}\n`,
    );
    expect(policy.rules).toMatchObject([{ actions: ["a"], effect: "deny", roles: ["user"] }]);
  });

  test("a merge key in quotes is a field", () => {
    expect(issuesOf(resourcePolicy("'<<': {scope: a}"))).toEqual(['a.yaml:5:3 shape unknown field "<<"']);
  });
});

describe("variables and constants", () => {
  const files = {
    "a.yaml": resourcePolicy(
      "variables:\n  import: [vars]\n  local: {last: V.first && V.shared, first: C.limit > 1.0, unused: C.spare == 1}\nconstants:\n  import: [consts]\n  local: {spare: 2}",
      "condition: {match: {expr: V.last}}",
    ),
    "b.yaml": set("exportVariables", "vars", "definitions: {shared: V.first, other: R.attr.y}"),
    "c.yaml": set("exportConstants", "consts", "definitions: {limit: {of: [1, null]}}"),
  };

  test("imported and local in one namespace; only those used, each after those it reads", () => {
    const { definitions } = only(modelOf(files).resourcePolicies);
    expect([...definitions.variables.keys()]).toEqual(["first", "shared", "last"]);
    expect([...definitions.constants]).toEqual([["limit", { of: [1, null] }]]);
  });

  test("a constant named __proto__ is a constant", () => {
    const text = resourcePolicy(
      "constants: {local: {__proto__: {x: 1}}}",
      "condition: {match: {expr: C.__proto__.x == 1}}",
    );
    expect([...policyOf(text).definitions.constants]).toEqual([["__proto__", { x: 1 }]]);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  test("a chain of 5,000 variables", { tags: "long" }, () => {
    const chain = Array.from({ length: 5_000 }, (_, i) => `    v${i}: ${i === 4_999 ? "true" : `V.v${i + 1}`}`);
    const text = resourcePolicy(`variables:\n  local:\n${chain.join("\n")}`, "condition: {match: {expr: V.v0}}");
    expect([...policyOf(text).definitions.variables.keys()].slice(0, 2)).toEqual(["v4999", "v4998"]);
  });
});

describe("derived roles", () => {
  test("only those that rules list, each with its own definitions", () => {
    const model = modelOf({
      "a.yaml": resourcePolicy("importDerivedRoles: [roles]", "derivedRoles: [owner]"),
      "b.yaml": set(
        "derivedRoles",
        "roles",
        "variables: {local: {mine: R.attr.owner == P.id, other: '1 == 1'}}\ndefinitions:\n  - {name: owner, parentRoles: [a, '*'], condition: {match: {expr: V.mine}}}\n  - {name: spare, parentRoles: [a]}",
      ),
    });
    const { derivedRoles } = only(model.resourcePolicies);
    expect([...derivedRoles.keys()]).toEqual(["owner"]);
    const owner = derivedRoles.get("owner");
    expect(owner).toMatchObject({ name: "owner", parentRoles: ["*"], at: { file: "b.yaml", line: 6, column: 14 } });
    expect([...(owner?.definitions.variables.keys() ?? [])]).toEqual(["mine"]);
  });
});

describe("schemas", () => {
  test("those in use, with what they refer to", () => {
    const model = modelOf({
      "a.yaml": resourcePolicy(
        "schemas:\n  principalSchema: {ref: 'cerbos:///p.json'}\n  resourceSchema: {ref: 'cerbos:///dir/r.json#/$defs/doc', ignoreWhen: {actions: ['view:*']}}",
      ),
      "_schemas/p.json": '{"$ref": "dir/r.json#/$defs/doc"}',
      "_schemas/dir/r.json": '{"$defs": {"doc": {"properties": {"at": {"format": "date-time", "pattern": "(?i)z"}}}}}',
      "_schemas/unused.json": "{}",
    });
    expect(only(model.resourcePolicies).resourceSchema).toEqual({
      ref: "cerbos:///dir/r.json#/$defs/doc",
      ignoreActions: ["view:*"],
      at: { file: "a.yaml", line: 7, column: 27 },
    });
    expect([...model.schemas.keys()].sort()).toEqual(["cerbos:///dir/r.json", "cerbos:///p.json"]);
  });

  test.each([
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
  ])("of draft %s", (draft) => {
    const text = resourcePolicy("schemas: {principalSchema: {ref: 'cerbos:///p.json'}}");
    const model = modelOf({ "a.yaml": text, "_schemas/p.json": JSON.stringify({ $schema: draft, type: "object" }) });
    expect(model.schemas.size).toBe(1);
  });
});

describe("where expressions stand", () => {
  const placeOf = (expression: Expression | undefined, text: string) =>
    expression?.position(expression.source.indexOf(text));
  const at = (line: number, column: number) => ({ file: "a.yaml", line, column });

  test.each([
    ["plain", "expr: P.id == mark", at(11, 25)],
    ["plain, folded", "expr: P.id ==\n  mark", at(12, 13)],
    ["single-quoted", "expr: '''x'' == mark'", at(11, 27)],
    ["double-quoted", 'expr: "\\"x\\" == mark"', at(11, 27)],
    ["literal", "expr: |-\n  P.id ==\n    mark", at(13, 15)],
    ["folded", "expr: > # why\n  P.id\n  == mark", at(13, 16)],
  ])("%s", (_, expr, expected) => {
    const text = resourcePolicy("", `condition:\n  match:\n    ${expr.replaceAll("\n", "\n    ")}`).replace(
      "mark",
      "P.id2",
    );
    const text2 = text.replace("P.id2", "R.id");
    const { condition } = ruleOf(text2);
    expect(placeOf(condition?.kind === "expr" ? condition.expr : undefined, "R.id")).toEqual(expected);
  });

  test("an expression that does not parse is reported where it goes wrong", () => {
    const rule = "condition:\n  match:\n    expr: |\n      P.id == 1 &&\n        P.id === 2\n";
    expect(issuesOf(resourcePolicy("", rule)).map((issue) => issue.split(" ")[0])).toEqual(["a.yaml:13:20"]);
  });

  test("a name that is not defined is reported where it stands", () => {
    const text = resourcePolicy(
      "variables: {local: {a: 'true || V.nope'}}",
      'condition: {match: {expr: "C.nope == 1"}}',
    );
    expect(placesOf(text)).toEqual(["a.yaml:5:36 undefined_variable", "a.yaml:10:35 undefined_constant"]);
  });
});

test("the order of files makes no difference", () => {
  const files = { "b.yaml": resourcePolicy("", "", "b"), "a.yaml": resourcePolicy("", "", "a") };
  expect(modelOf(files).resourcePolicies.map((policy) => policy.name)).toEqual(["a", "b"]);
});
