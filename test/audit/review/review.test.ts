/** The facts of a review, for the shipped policies and for policies with each finding. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findingText } from "../../../src/audit/findings/finding.js";
import { type ReviewOptions, review } from "../../../src/audit/review/review.js";
import type { ReviewTests } from "../../../src/audit/review/tested.js";
import type { Review } from "../../../src/audit/review/types.js";
import { VERSION } from "../../../src/bundle/version.js";
import type { PolicyFile } from "../../../src/index.js";
import { reportOf } from "../../../src/testing/coverage/report.js";
import { ROOT } from "../../support/built.js";
import { compiled, shipped } from "../../support/policies.js";

const DATE = new Date("2026-01-31T12:00:00Z");

const facts = await review(shipped, { date: DATE });

test("the head", () => {
  expect(facts).toMatchObject({
    format: "keyward-review/1",
    date: "2026-01-31T12:00:00.000Z",
    engine: { name: "keyward" },
    policies: { permissionVersion: "default", platformVersion: "platform" },
    roles: ["admin", "editor", "viewer", "*"],
  });
  expect(facts.policies.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
  const { version }: { version: string } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  expect(VERSION).toBe(version);
});

test("the same policies give the same review, in whatever order they come", async () => {
  const again = await review(compiled([...shipped.files].reverse()), { date: DATE });
  expect(again).toEqual(facts);
});

test("it is plain data", () => {
  expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
});

test("the shipped policies have no findings", () => {
  expect(facts.findings).toEqual([]);
});

test("every operation, and what each role may do", () => {
  const matrix = facts.operations.map(({ kind, operation, scopes }) => {
    const cells = scopes[0]?.cells.map(({ chance, through }) => (chance === "conditional" ? through : chance));
    return [kind, operation, ...(cells ?? []), scopes[0]?.supported].join(" ");
  });
  expect(matrix).toEqual([
    "api apis.getApi role role role every_role always",
    "api apis.listKeys role role role every_role always",
    "api keys.createKey role role every_role every_role conditional",
    "api apis.updateApi role every_role every_role every_role conditional",
    "api apis.deleteApi role every_role every_role every_role conditional",
    "key keys.getKey role role role every_role always",
    "key keys.verifyKey role role role every_role always",
    "key keys.revokeKey role role every_role every_role conditional",
    "key keys.updateKey role role every_role every_role conditional",
    "key keys.deleteKey role role every_role every_role conditional",
    "key keys.removeLastAdmin never never never never never",
    "workspace apis.listApis role role role every_role always",
    "workspace apis.createApi role every_role every_role every_role conditional",
    "workspace workspaces.deleteWorkspace role every_role every_role every_role conditional",
    "workspace workspaces.createWorkspace role every_role every_role every_role conditional",
    "workspace workspaces.deleteWithApis never never never never never",
    "workspace workspaces.createBeyondLimit never never never never never",
  ]);
});

test("a rule for a role beside a derived role is told from a rule for the derived role", async () => {
  const org = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: org
  definitions:
    - {name: org_manager, parentRoles: [manager], condition: {match: {expr: R.attr.org == P.attr.org}}}
`;
  const doc = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [org]
  rules:
    - {actions: [list], roles: [manager], effect: EFFECT_ALLOW}
    - {actions: [hole], roles: [manager], derivedRoles: [org_manager], effect: EFFECT_ALLOW}
    - {actions: [fix], derivedRoles: [org_manager], effect: EFFECT_ALLOW}
    - {actions: [held], roles: [manager], effect: EFFECT_ALLOW}
    - {actions: [held], roles: [manager], effect: EFFECT_DENY, condition: {match: {expr: R.attr.hold}}}
`;
  const files = [
    { path: "org.yaml", text: org },
    { path: "doc.yaml", text: doc },
  ];
  const { operations } = await review(compiled(files, { platform: "none" }), { date: DATE });
  const cells = operations.map(({ operation, scopes }) => `${operation} ${scopes[0]?.cells[0]?.chance}`);
  expect(cells).toEqual(["list always", "hole unless_missing", "fix conditional", "held conditional"]);
});

test("what can forbid an operation, with the clause of the contract", () => {
  const operation = facts.operations.find((one) => one.operation === "apis.deleteApi");
  const rules = operation?.scopes[0]?.platform.deny.map((id) => facts.rules.find((rule) => rule.id === id));
  expect(rules?.map((rule) => `${rule?.reason} ${rule?.clause}`)).toEqual([
    "system_resource 7.4.1",
    "state_forbids_modification 7.4.2",
    "platform_policy_violation 7.4.4",
    "not_available 7.4.5",
    "out_of_sequence 7.4.6",
    "delete_protected 7.4.7",
  ]);
});

test("every denial of the platform has a clause", () => {
  const denials = facts.rules.filter(({ layer, effect }) => layer === "platform" && effect === "deny");
  expect(denials.length).toBeGreaterThan(15);
  for (const { clause } of denials) expect(clause).toMatch(/^7\.4\.[1-7]$/);
});

test("each rule stands where the review says", () => {
  for (const { name, place } of facts.rules) {
    const file = shipped.files.find(({ path }) => path === place.file);
    const lines = file?.text.split("\n").slice(place.line - 1, place.to) ?? [];
    expect(lines[0]).toContain(`- name: ${name}`);
    expect(lines.filter((line) => /^\s*- name:/.test(line))).toHaveLength(1);
    expect(lines.at(-1)?.trim()).not.toBe("");
  }
});

test("names mean the same for all who read them", () => {
  const reach = facts.names.filter(({ name }) => name === "in_workspace");
  expect(new Set(reach.map(({ text }) => text))).toEqual(
    new Set(["the key's `workspaceIds` has at least one of `\"*\"` or the resource's `workspaceId`"]),
  );
  expect(reach[0]?.place?.file).toBe("permissions/reach.yaml");
});

const PLATFORM = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: platform
  rules:
    - { name: supported, actions: [read, write], roles: [account], effect: EFFECT_ALLOW }
`;

const SCHEMA = JSON.stringify({
  type: "object",
  properties: {
    state: { enum: ["draft", "done"] },
    owner: { type: "string" },
    place: { $ref: "#/$defs/place" },
    open: {},
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["state", "place"],
  $defs: {
    place: { type: "object", properties: { street: { type: "string" }, no: { type: "integer" } }, required: ["no"] },
  },
});

/** A set with these rules of a permission policy. */
function doc(rules: string, platform = PLATFORM, head = ""): PolicyFile[] {
  const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
${head}  rules:
${rules.replace(/^/gm, "    ")}
`;
  return [
    { path: "doc.yaml", text },
    { path: "platform.yaml", text: platform },
    { path: "_schemas/doc.json", text: SCHEMA },
  ];
}

const WITH_SCHEMA = "  schemas:\n    resourceSchema: { ref: cerbos:///doc.json }\n";

async function reviewed(files: PolicyFile[], options: Partial<ReviewOptions> = {}): Promise<Review> {
  return await review(compiled(files), { date: DATE, ...options });
}

async function found(files: PolicyFile[], options: Partial<ReviewOptions> = {}): Promise<readonly string[]> {
  return (await reviewed(files, options)).findings.map((one) => `${one.line} ${one.code}: ${findingText(one)}`);
}

const READ = "- { name: read, actions: [read, write], roles: [user], effect: EFFECT_ALLOW }";

const condition = (expr: string, effect = "ALLOW") =>
  `${READ}\n- name: odd\n  actions: [read]\n  roles: [user]\n  effect: EFFECT_${effect}\n  condition: { match: { expr: ${JSON.stringify(expr)} } }`;

const denial = (expr: string) => condition(expr, "DENY");

describe("rules that can never matter", () => {
  test.each([
    ['R.attr.x == "a" && R.attr.x == "b"'],
    ["R.attr.x > 5 && R.attr.x < 3"],
    ["R.attr.x >= 5 && R.attr.x < 5"],
    ["R.attr.x && !R.attr.x"],
    ['R.attr.x in ["a", "b"] && R.attr.x == "c"'],
    ['R.attr.x in ["a"] && R.attr.x != "a"'],
    ["R.attr.x == 3 && R.attr.x > 4.5"],
    ['(R.attr.x == "a" || R.attr.x == "b") && request.resource.attr["x"] == "c"'],
    ["false"],
    ["1 == 2"],
    ['R.attr.y && R.attr.x == "a" && !(R.attr.x == "a" || R.attr.z)'],
    ["size(R.attr.x) > 3 && size(R.attr.x) < 2"],
  ])("never true: %s", async (expr) => {
    const findings = await found(doc(denial(expr)));
    expect(findings).toContainEqual(expect.stringMatching(/^7 contradictory_condition: rule odd: /));
  });

  test.each([
    ['R.attr.x != "a" || R.attr.x != "b"'],
    ["R.attr.x || !R.attr.x"],
    ["true"],
    ["!(R.attr.x == 1 && R.attr.x == 2)"],
  ])("never false: %s", async (expr) => {
    const findings = await found(doc(denial(expr)));
    expect(findings).toContainEqual(expect.stringMatching(/^7 tautological_condition: rule odd: /));
  });

  test.each([
    ['R.attr.x == "a" && R.attr.y == "b"'],
    ["R.attr.x == 1 && R.attr.x == 1.0"],
    ["R.attr.x > 3 && R.attr.x < 5"],
    ["R.attr.x >= 5 && R.attr.x <= 5"],
    ["!(R.attr.x < 3) && !(R.attr.x >= 3)"],
    ["R.attr.x != 1 && R.attr.x != 2"],
    ["size(R.attr.x) > 3 && size(R.attr.y) < 2"],
    ["has(R.attr.x) || R.attr.x == 1"],
  ])("possible: %s", async (expr) => {
    const findings = await found(doc(denial(expr)));
    expect(findings.filter((each) => /tautolog|contradict/.test(each))).toEqual([]);
  });

  test("through variables, and lists of conditions", async () => {
    const rules = `${READ}
- name: odd
  actions: [read]
  roles: [user]
  effect: EFFECT_DENY
  condition:
    match:
      all:
        of:
          - expr: V.done
          - none: { of: [{ expr: 'R.attr.state == "done"' }, { expr: R.attr.open }] }`;
    const head = `  variables:\n    local:\n      done: R.attr.state == "done"\n`;
    expect(await found(doc(rules, PLATFORM, head))).toContainEqual(expect.stringContaining("contradictory_condition"));
  });

  test("an ALLOW that an unconditional DENY covers", async () => {
    const rules = `${READ}
- { name: stop, actions: ["*"], roles: ["*"], effect: EFFECT_DENY }`;
    const findings = await found(doc(rules));
    expect(findings).toContainEqual(
      "6 shadowed_rule: rule read never allows anything: stop denies the same actions to the same roles for every request (remove one of the rules, or give the DENY rule a condition)",
    );
    expect(findings).toContainEqual(expect.stringContaining("ungranted_operation: the platform supports read on doc"));
  });

  test("… is not covered where one role or action is left, or where the DENY has a condition", async () => {
    const rules = `${READ}
- { name: stop, actions: [write], roles: ["*"], effect: EFFECT_DENY }
- { name: others, actions: ["*"], roles: [guest], effect: EFFECT_DENY }
- name: some
  actions: ["*"]
  roles: ["*"]
  effect: EFFECT_DENY
  condition: { match: { expr: R.attr.open } }`;
    expect((await found(doc(rules))).filter((each) => each.includes("shadowed"))).toEqual([]);
  });

  test("an ALLOW that a wider one implies", async () => {
    const findings = await found(doc(condition("R.attr.open")));
    expect(findings).toContainEqual(
      "7 redundant_rule: rule odd allows only requests that read already allows (remove it)",
    );
  });

  test("the same denial twice", async () => {
    const twice = denial("R.attr.open").split("\n").slice(1).join("\n");
    const rules = `${denial("R.attr.open")}\n${twice.replace("name: odd", "name: again")}`;
    expect(await found(doc(rules))).toContainEqual(
      "12 redundant_rule: rule again denies only requests that odd already denies (remove it)",
    );
  });
});

describe("roles", () => {
  test("that nobody has", async () => {
    const findings = await found(doc("- { name: read, actions: [read, write], roles: [usr], effect: EFFECT_ALLOW }"), {
      roles: ["user", "guest"],
    });
    expect(findings).toContainEqual('6 unknown_role: nobody has the role usr (did you mean "user"?)');
    expect(findings).toContainEqual(expect.stringContaining("unused_role: no rule mentions the role guest"));
  });

  test("that are probably misspelt, where nothing was said of roles", async () => {
    const rules = `${READ}
- { name: more, actions: [read], roles: [user], effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.a } } }
- { name: other, actions: [write], roles: [uset], effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.a } } }
- { name: third, actions: [write], roles: [admin], effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.a } } }`;
    const findings = (await found(doc(rules))).filter((each) => each.includes("role:"));
    expect(findings).toEqual(['8 unknown_role: only one place mentions the role uset (did you mean "user"?)']);
  });

  test("that were given are in the matrix", async () => {
    const { roles, operations } = await reviewed(doc(READ), { roles: ["user", "guest"] });
    expect(roles).toEqual(["guest", "user", "*"]);
    expect(operations[0]?.scopes[0]?.cells.map(({ chance }) => chance)).toEqual(["never", "always", "never"]);
  });
});

describe("attributes", () => {
  const schemed = async (expr: string) =>
    (await found(doc(denial(expr), PLATFORM, WITH_SCHEMA))).filter((each) => !each.includes("redundant"));

  test.each([
    [
      "R.attr.sate == 1",
      /undeclared_attribute: this rule reads R\.attr\.sate, which cerbos:\/\/\/doc\.json does not declare/,
    ],
    ["R.attr.place.nr == 1", /undeclared_attribute: this rule reads R\.attr\.place\.nr,/],
    ['R.attr.owner == "a"', /optional_attribute_in_denial: DENY rule odd reads R\.attr\.owner, which is optional /],
    ['R.attr.place.street == "a"', /optional_attribute_in_denial: DENY rule odd reads R\.attr\.place\.street,/],
    [
      'R.attr.state == "don"',
      /impossible_value: R\.attr\.state is never "don", by cerbos:\/\/\/doc\.json: this comparison is never true \(did you mean "done"\?\)/,
    ],
    [
      '!(R.attr.state in ["done", "drft"])',
      /impossible_value: R\.attr\.state is never "drft", by cerbos:\/\/\/doc\.json \(did you mean "draft"\?\)/,
    ],
  ])("%s", async (expr, expected) => {
    expect(await schemed(expr)).toEqual([expect.stringMatching(expected)]);
  });

  test.each([
    ['R.attr.state == "done"'],
    ["R.attr.place.no == 1"],
    ['has(R.attr.owner) && R.attr.owner == "a"'],
    ['has(R.attr.labels) && R.attr.labels.anything == "x"'],
  ])("nothing to say of %s", async (expr) => {
    expect((await schemed(expr)).filter((each) => !/labels/.test(each))).toEqual([]);
  });

  test("an optional attribute in an ALLOW rule is fine: what errs denies", async () => {
    const rules =
      "- { name: read, actions: [read, write], roles: [user], effect: EFFECT_ALLOW, condition: { match: { expr: 'R.attr.owner == P.id' } } }";
    expect(await found(doc(rules, PLATFORM, WITH_SCHEMA))).toEqual([]);
  });

  test("no schema", async () => {
    const other = doc(READ, PLATFORM, WITH_SCHEMA)[0]?.text.replace("resource: doc", "resource: page") ?? "";
    const beside = (text: string) => [...doc(text), { path: "page.yaml", text: other }];
    const noSchema = async (files: PolicyFile[]) => (await found(files)).filter((one) => one.includes("no_schema"));
    const expr = "R.attr.a && P.attr.b && R.attr.c";
    expect(await noSchema(doc(denial(expr)))).toEqual([]);
    expect(await noSchema(beside(condition(expr)))).toEqual([]);
    expect(await noSchema(beside(denial(expr)))).toEqual([
      expect.stringContaining("11 no_schema: this DENY rule reads attributes of the resource"),
      expect.stringContaining("11 no_schema: this DENY rule reads attributes of the principal"),
    ]);
  });
});

describe("operations", () => {
  test("that the platform does not support, and that nobody may do", async () => {
    const rules = "- { name: read, actions: [read, print], roles: [user], effect: EFFECT_ALLOW }";
    expect(await found(doc(rules))).toEqual([
      expect.stringContaining("unsupported_operation: print on doc is permitted to some"),
      expect.stringContaining("ungranted_operation: the platform supports write on doc, but no role may do it"),
    ]);
  });

  test("without tests", async () => {
    const tests: ReviewTests = {
      operations: [
        { kind: "doc", operation: "read", passes: true },
        { kind: "doc", operation: "read", passes: false },
        { kind: "x", operation: "write", passes: true },
      ],
      suites: [],
      coverage: reportOf([]),
    };
    const { operations, findings } = await reviewed(doc(READ), { tests });
    expect(operations.map(({ operation, tests, passing }) => [operation, tests, passing])).toEqual([
      ["read", 2, 1],
      ["write", 0, 0],
    ]);
    expect(findings.map(({ message }) => message)).toEqual(["no test covers write on doc"]);
  });

  test("that only patterns mention", async () => {
    const rules = '- { name: read, actions: ["view:*", "read", "re*"], roles: [user], effect: EFFECT_ALLOW }';
    const { operations } = await reviewed(doc(rules));
    expect(operations.map(({ operation, isPattern }) => [operation, isPattern])).toEqual([
      ["read", false],
      ["write", false],
      ["view:*", true],
    ]);
  });
});

describe("clauses", () => {
  const platform = (annotations: string) => `apiVersion: api.cerbos.dev/v1
metadata:
  annotations: ${annotations}
resourcePolicy:
  resource: doc
  version: platform
  rules:
    - { name: supported, actions: [read, write], roles: [account], effect: EFFECT_ALLOW }
    - { name: no, actions: [write], roles: [account], effect: EFFECT_DENY, output: { when: { ruleActivated: '"stop"' } } }
    - { name: no.read, actions: [read], roles: [account], effect: EFFECT_DENY, output: { when: { ruleActivated: '"stop"' } } }
`;
  test.each([
    ["{ keyward.clause: all }", ["all", "all", "all"]],
    ["{ keyward.clause: all, keyward.clause/stop: '2' }", ["all", "2", "2"]],
    ["{ keyward.clause/stop: '2', keyward.clause/no.read: '3' }", [undefined, "2", "3"]],
    ["{ other: x }", [undefined, undefined, undefined]],
  ])("%s", async (annotations, clauses) => {
    const { rules, findings } = await reviewed(doc(READ, platform(annotations)));
    expect(rules.filter(({ layer }) => layer === "platform").map(({ clause }) => clause)).toEqual(clauses);
    expect(findings.filter(({ code }) => code === "missing_clause")).toEqual([]);
  });

  test("that some denials lack", async () => {
    const findings = await found(doc(READ, platform("{ keyward.clause/no: '2' }")));
    expect(findings).toContainEqual(
      expect.stringMatching(/^10 missing_clause: platform DENY rule no\.read names no contract clause/),
    );
  });
});

test("warnings of the loader are among the findings", async () => {
  const platform = `${PLATFORM}    - { actions: [write], roles: [account], effect: EFFECT_DENY, condition: { match: { expr: R.attr.x } } }\n`;
  expect(await found(doc(READ, platform))).toContainEqual(expect.stringContaining("load_warning: unnamed_denial: "));
});
