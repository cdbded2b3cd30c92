/** How rules, roles and errors combine into one layer's verdict. */

import { describe, expect, test } from "vitest";
import { decide, type LayerVerdict, type PolicySet } from "../../src/index.js";
import { STEP_BUDGET } from "../../src/limits.js";
import type { Attr } from "../property/arbitraries/index.js";
import { permissions, policy, when } from "../support/compose.js";
import { ask } from "../support/requests.js";
import { callsOf } from "../support/work.js";

interface Asked {
  readonly roles?: readonly string[];
  readonly operation?: string;
  readonly kind?: string;
  readonly attr?: Attr;
}

function verdict(
  policies: PolicySet,
  { roles = ["user"], operation = "read", kind = "doc", attr = {} }: Asked = {},
): LayerVerdict {
  const request = ask(operation, { roles });
  return decide(policies, { ...request, resource: { kind, id: "d1", attr: attr } }).permission;
}

/** The verdict in one line: the effect and the deciding rules. */
function summary({ effect, reasons }: LayerVerdict): string {
  return `${effect}: ${reasons.map(({ kind, rule, reason }) => (kind === "rule" ? rule : `${kind} ${rule || reason}`)).join(", ")}`;
}

const set = (...rules: readonly string[]) => permissions({ "a.yaml": policy({ rules }) });
const rule = (name: string, roles: string, effect: "ALLOW" | "DENY", more = "") =>
  `name: ${name}, actions: [read], roles: ${roles}, effect: EFFECT_${effect}${more}`;

describe("effects", () => {
  test.each<[string, readonly string[], readonly string[], string]>([
    ["nothing matches: denied", [rule("a", "[other]", "ALLOW")], ["user"], "deny: default not_granted"],
    ["a rule that allows", [rule("a", "[user]", "ALLOW")], ["user"], "allow: a"],
    [
      "every rule that allows is a reason",
      [rule("a", "[user]", "ALLOW"), rule("b", '["*"]', "ALLOW")],
      ["user"],
      "allow: a, b",
    ],
    [
      "DENY wins over ALLOW within a role",
      [rule("a", "[user]", "ALLOW"), rule("d", "[user]", "DENY")],
      ["user"],
      "deny: d",
    ],
    ["… whichever comes first", [rule("d", "[user]", "DENY"), rule("a", "[user]", "ALLOW")], ["user"], "deny: d"],
    [
      "… every DENY is a reason",
      [rule("d", "[user]", "DENY"), rule("a", "[user]", "ALLOW"), rule("e", '["*"]', "DENY")],
      ["user"],
      "deny: d, e",
    ],
    [
      "across roles any ALLOW wins",
      [rule("a", "[one]", "ALLOW"), rule("d", "[two]", "DENY")],
      ["one", "two"],
      "allow: a",
    ],
    [
      "… in either order of roles",
      [rule("a", "[one]", "ALLOW"), rule("d", "[two]", "DENY")],
      ["two", "one"],
      "allow: a",
    ],
    [
      "… unless the DENY is for every role",
      [rule("a", "[one]", "ALLOW"), rule("d", '["*"]', "DENY")],
      ["one", "two"],
      "deny: d",
    ],
    [
      "… or for each of them",
      [rule("a", "[one, two]", "ALLOW"), rule("d", "[one]", "DENY"), rule("e", "[two]", "DENY")],
      ["one", "two"],
      "deny: d, e",
    ],
    [
      "a role that is allowed by one rule and denied by another does not help",
      [rule("a", "[one]", "ALLOW"), rule("d", "[one]", "DENY"), rule("b", "[two]", "ALLOW")],
      ["one", "two"],
      "allow: b",
    ],
    [
      "the same role twice is one role",
      [rule("a", "[user]", "ALLOW"), rule("d", "[user]", "DENY")],
      ["user", "user"],
      "deny: d",
    ],
    ["roles may be patterns", [rule("a", '["us*"]', "ALLOW")], ["user"], "allow: a"],
    ["a request's role * is a name as well", [rule("a", "[user]", "ALLOW")], ["*"], "deny: default not_granted"],
  ])("%s", (_, rules, roles, expected) => {
    expect(summary(verdict(set(...rules), { roles }))).toBe(expected);
  });

  test("a rule whose condition does not hold does nothing", () => {
    const policies = set(rule("a", "[user]", "ALLOW"), rule("d", "[user]", "DENY", `, ${when("R.attr.locked")}`));
    expect(summary(verdict(policies, { attr: { locked: false } }))).toBe("allow: a");
    expect(summary(verdict(policies, { attr: { locked: true } }))).toBe("deny: d");
  });
});

describe("errors deny, and are reported", () => {
  const allow = rule("a", "[user]", "ALLOW");
  test.each<[string, readonly string[], readonly string[], string]>([
    [
      "in a rule that denies",
      [allow, rule("d", "[user]", "DENY", `, ${when("R.attr.locked")}`)],
      ["user"],
      "deny: error d",
    ],
    [
      "in a rule that allows, where another allows",
      [allow, rule("b", "[user]", "ALLOW", `, ${when("R.attr.open")}`)],
      ["user"],
      "deny: error b",
    ],
    [
      "for a role, where another role is allowed",
      [rule("a", "[one]", "ALLOW"), rule("d", "[two]", "DENY", `, ${when("R.attr.x")}`)],
      ["one", "two"],
      "deny: error d",
    ],
    [
      "beside a rule that denies",
      [rule("d", "[user]", "DENY"), rule("e", "[user]", "DENY", `, ${when("R.attr.x")}`)],
      ["user"],
      "deny: d, error e",
    ],
    [
      "in a condition that is no boolean",
      [rule("a", "[user]", "ALLOW", `, ${when("R.attr.name")}`)],
      ["user"],
      "deny: error a",
    ],
    [
      "but not in a rule for another role",
      [allow, rule("d", "[other]", "DENY", `, ${when("R.attr.x")}`)],
      ["user"],
      "allow: a",
    ],
    [
      "nor where || or && make up for it",
      [rule("a", "[user]", "ALLOW", `, ${when("R.attr.x || true")}`)],
      ["user"],
      "allow: a",
    ],
    [
      "nor in a member of `any` after one that holds",
      [rule("a", "[user]", "ALLOW", ', condition: {match: {any: {of: [{expr: "true"}, {expr: R.attr.x}]}}}')],
      ["user"],
      "allow: a",
    ],
    [
      "but in one before it",
      [rule("a", "[user]", "ALLOW", ', condition: {match: {any: {of: [{expr: R.attr.x}, {expr: "true"}]}}}')],
      ["user"],
      "deny: error a",
    ],
    [
      "in `none`, which would hold if it were false",
      [rule("a", "[user]", "ALLOW", ", condition: {match: {none: {of: [{expr: R.attr.x}]}}}")],
      ["user"],
      "deny: error a",
    ],
  ])("%s", (_, rules, roles, expected) => {
    expect(summary(verdict(set(...rules), { roles, attr: { name: "text" } }))).toBe(expected);
  });

  test("with the rule, the expression, its text and its place in the file", () => {
    const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - name: reader
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          all:
            of:
              - expr: "true"
              - expr: >-
                  true &&
                  R.attr.level > "three"
`;
    const { errors } = verdict(permissions({ "rules/a.yaml": text }), { attr: { level: 3 } });
    expect(errors).toEqual([
      {
        policy: "resource.doc.vdefault",
        rule: "reader",
        expression: 'true && R.attr.level > "three"',
        message: expect.any(String),
        position: expect.stringMatching(/^rules\/a\.yaml:17:\d+$/),
      },
    ]);
  });

  test("a condition that is no boolean, with the place of its first character", () => {
    const text = policy({ rules: [rule("a", "[user]", "ALLOW", `, ${when("R.attr.name + R.attr.name")}`)] });
    const { errors } = verdict(permissions({ "a.yaml": text }), { attr: { name: "text" } });
    const column = (text.split("\n")[5] ?? "").indexOf("R.attr.name") + 1;
    expect(errors).toEqual([
      {
        policy: "resource.doc.vdefault",
        rule: "a",
        expression: "R.attr.name + R.attr.name",
        message: "the condition's value is not a boolean",
        position: `a.yaml:6:${column}`,
      },
    ]);
  });

  const ROLES = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  definitions:
    - {name: whole, parentRoles: [user], condition: {match: {expr: "true"}}}
    - {name: other, parentRoles: [user], condition: {match: {expr: R.attr.other == 1}}}
    - {name: odd, parentRoles: [user], condition: {match: {expr: R.attr.odd == 1}}}
`;
  /** A policy that imports the derived roles, with one rule that lists all of them. */
  const derived = (more: string) => {
    const listed = "name: listed, actions: [list], derivedRoles: [whole, other, odd], effect: EFFECT_ALLOW";
    const text = policy({ body: "importDerivedRoles: [roles]", rules: [listed, more] });
    return permissions({ "a.yaml": text, "roles.yaml": ROLES });
  };

  test.each([
    [{}, ["other", "odd"]],
    [{ odd: 1 }, ["other"]],
    [{ other: 2 }, ["odd"]],
  ])("in derived roles, where an expression reads which are active: %o", (attr, erring) => {
    const policies = derived(rule("a", "[user]", "ALLOW", `, ${when('"whole" in runtime.effectiveDerivedRoles')}`));
    const { effect, errors } = verdict(policies, { attr });
    const message = `failed to compute effective derived roles [${[...erring].sort().join(", ")}]`;
    expect([effect, errors.map((error) => error.message)]).toEqual(["deny", [message]]);
    expect(summary(verdict(policies, { attr: { odd: 2, other: 2 } }))).toBe("allow: a");
  });

  test("in several derived roles of one rule: each once, in the order of their places", () => {
    const found = verdict(derived(rule("a", "[user]", "DENY")), { operation: "list" });
    expect(found.errors.map(({ rule, expression, position }) => [rule, expression, position.split(":")[1]])).toEqual([
      ["listed", "R.attr.other == 1", "6"],
      ["listed", "R.attr.odd == 1", "7"],
    ]);
    expect(found).toMatchObject({ effect: "deny", derivedRoles: ["whole"] });
  });

  test("in a rule of a role policy, whose name is that of no reason", () => {
    const role = `apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: user
  scope: ""
  rules:
    - {resource: doc, allowActions: [read], condition: {match: {expr: R.attr.open == true}}}
`;
    const policies = permissions({ "a.yaml": policy({ rules: [rule("a", "[user]", "ALLOW")] }), "r.yaml": role });
    expect(summary(verdict(policies, { attr: { open: true } }))).toBe("allow: a");
    expect(verdict(policies, { attr: { open: false } })).toMatchObject({
      effect: "deny",
      reasons: [{ kind: "default", reason: "not_granted", rule: "" }],
    });
    expect(verdict(policies)).toMatchObject({
      effect: "deny",
      reasons: [{ kind: "error", reason: "", rule: "", policy: "role.user.vdefault" }],
      errors: [{ policy: "role.user.vdefault", rule: "", expression: "R.attr.open == true" }],
    });
  });

  test("an exhausted step budget is one", () => {
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    const expr = "R.attr.list.all(a, R.attr.list.all(b, R.attr.list.all(c, a + b + c >= 0.0)))";
    const policies = set(rule("a", "[user]", "ALLOW", `, ${when(expr)}`));
    const first = verdict(policies, { attr: { list: numbers } });
    let found = first;
    // 300 * 300 * 300 elements, but only as many are visited as the step budget pays for.
    const calls = callsOf(() => {
      found = verdict(policies, { attr: { list: numbers } });
    });
    expect(calls).toBeLessThan(20 * STEP_BUDGET);
    expect(found).toEqual(first);
    expect([summary(found), found.errors[0]?.message]).toEqual(["deny: error a", "step budget exhausted"]);
    expect(summary(verdict(policies, { attr: { list: numbers.slice(0, 5) } }))).toBe("allow: a");
  });

  test("each layer has a budget of its own", () => {
    const expensive = when("R.attr.list.all(a, R.attr.list.all(b, R.attr.list.all(c, a + b + c >= 0.0)))");
    const policies = set(rule("a", "[user]", "ALLOW", `, ${expensive}`));
    const request = ask("read", { roles: ["user"] });
    const list = Array.from({ length: 300 }, (_, i) => i);
    const { outcome, platform } = decide(policies, { ...request, resource: { kind: "doc", id: "d", attr: { list } } });
    expect([outcome, platform.effect]).toEqual(["insufficient_permissions", "allow"]);
  });
});

describe("kinds and versions", () => {
  const policies = permissions(
    {
      "a.yaml": policy({ resource: "album:object", rules: [rule("a", "[user]", "ALLOW")] }),
      "b.yaml": policy({ resource: "album:object", version: "v2", rules: [rule("b", "[user]", "DENY")] }),
    },
    { otherVersions: ["v2"] },
  );

  test.each([
    ["album:object", "resource.album_object.vdefault", "allow: a"],
    ["album_object", "resource.album_object.vdefault", "allow: a"],
    ["album/object", "resource.album_object.vdefault", "allow: a"],
    ["album:objects", "NO_MATCH", "deny: default not_granted"],
    ["Album:object", "NO_MATCH", "deny: default not_granted"],
    ["1album:object", "NO_MATCH", "deny: default not_granted"],
    ["album:*", "NO_MATCH", "deny: default not_granted"],
  ])("the kind %s is looked up as %s", (kind, name, expected) => {
    const found = verdict(policies, { kind });
    expect([found.policy, summary(found)]).toEqual([name, expected]);
  });
});

describe("actions", () => {
  const cases: [string, readonly string[], readonly string[]][] = [
    ["view:*", ["view:public", "view:"], ["view", "view:a:b"]],
    ["a*", ["abc", "a"], ["a:b", "ba"]],
    ["x:**", ["x:1:2", "x:1"], ["x", "y:1"]],
    ["*", ["read", "a:b:c", ""].slice(0, 2), []],
    ["{m,n}:z*", ["m:z1", "n:z"], ["o:z1", "m:y"]],
    ["[bc]*", ["b", "cx"], ["d", "a"]],
    ["[!bc]*", ["d", "axx"], ["b", "c"]],
    ["?*", ["a", "axcd"], [":c"]],
    ["a\\*b*", ["a*b", "a*bc"], ["axb"]],
    ["q?", ["q?"], ["qa"]],
    ["[ab]c", ["[ab]c"], ["ac"]],
    ["{g,h}i", ["{g,h}i"], ["gi"]],
  ];
  test.each(cases)("%s", (pattern, matching, others) => {
    const policies = set(`name: a, actions: [${JSON.stringify(pattern)}], roles: [user], effect: EFFECT_ALLOW`);
    expect(matching.filter((operation) => verdict(policies, { operation }).effect === "allow")).toEqual(matching);
    expect(others.filter((operation) => verdict(policies, { operation }).effect === "allow")).toEqual([]);
  });

  test("a pattern is matched for actions that other rules name, and for those that none does", () => {
    const policies = set(
      'name: pattern, actions: ["doc:*"], roles: [user], effect: EFFECT_ALLOW',
      'name: exact, actions: ["doc:read"], roles: [user], effect: EFFECT_ALLOW',
    );
    expect(summary(verdict(policies, { operation: "doc:read" }))).toBe("allow: pattern, exact");
    expect(summary(verdict(policies, { operation: "doc:other" }))).toBe("allow: pattern");
    expect(summary(verdict(policies, { operation: "doc:a:b" }))).toBe("deny: default not_granted");
  });
});
