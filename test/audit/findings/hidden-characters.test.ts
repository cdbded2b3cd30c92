/** Findings about names with characters that are invisible or change the direction of text. */

import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/findings/findings.js";
import { compilePolicies, compilePoliciesOrThrow, type PolicyFile } from "../../../src/index.js";

type Rule = { readonly [field: string]: unknown };

const RULE: Rule = { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW" };

function condition(expr: string): Rule {
  return { ...RULE, condition: { match: { expr } } };
}

function fileOf(policy: object, path = "a.json"): PolicyFile {
  return { path, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...policy }) };
}

function resource(rules: readonly Rule[], more: object = {}): PolicyFile {
  return fileOf({ resourcePolicy: { resource: "doc", version: "default", rules, ...more } });
}

function found(files: readonly PolicyFile[], code: string): readonly string[] {
  const set = compilePoliciesOrThrow(files, { platform: "none" });
  return findingsOf(set)
    .filter((one) => one.code === code)
    .map(({ severity, message, hint }) => `${severity}: ${message} (${hint})`);
}

const BODY = resource([RULE]);

/** Each place where policies write a name, and where they compare one. */
const PLACES: { readonly [place: string]: (name: string) => readonly PolicyFile[] } = {
  "a resource kind": (name) => [fileOf({ resourcePolicy: { resource: name, version: "default", rules: [RULE] } })],
  "a principal's id": (name) => [BODY, principal(name, "doc", "read")],
  "a kind of a principal policy": (name) => [BODY, principal("ann", name, "read")],
  "an action of a principal policy": (name) => [BODY, principal("ann", "doc", name)],
  "a role": (name) => [resource([{ ...RULE, roles: ["user", name] }])],
  "an action": (name) => [resource([{ ...RULE, actions: [name, "read"] }])],
  "the role of a role policy": (name) => [BODY, role(name, "user", "doc", "read")],
  "a parent role": (name) => [BODY, role("boss", name, "doc", "read")],
  "a kind of a role policy": (name) => [BODY, role("boss", "user", name, "read")],
  "an action of a role policy": (name) => [BODY, role("boss", "user", "doc", name)],
  "a role of a derived role": (name) => [
    resource([{ actions: ["read"], derivedRoles: ["own"], effect: "EFFECT_ALLOW" }], { importDerivedRoles: ["set"] }),
    fileOf({ derivedRoles: { name: "set", definitions: [{ name: "own", parentRoles: ["user", name] }] } }, "set.json"),
  ],
  "an action that a schema leaves out": (name) => [
    resource([RULE], {
      schemas: { resourceSchema: { ref: "cerbos:///doc.json", ignoreWhen: { actions: [name] } } },
    }),
    { path: "_schemas/doc.json", text: "{}" },
  ],
  "an attribute": (name) => [resource([condition(`R.attr[${JSON.stringify(name)}] == 1`)])],
  "an attribute within another": (name) => [resource([condition(`has(P.attr.a[${JSON.stringify(name)}].b)`)])],
  "an attribute of a variable": (name) => [
    resource([condition("V.owner == 1")], {
      variables: { local: { owner: `R.attr[${JSON.stringify(name)}]` } },
    }),
  ],
  "a compared text": (name) => [resource([condition(`P.attr.team == ${JSON.stringify(name)}`)])],
  "a sought text": (name) => [resource([condition(`${JSON.stringify(name)} in P.roles`)])],
};

function principal(id: string, kind: string, action: string): PolicyFile {
  const rules = [{ resource: kind, actions: [{ action, effect: "EFFECT_ALLOW" }] }];
  return fileOf({ principalPolicy: { principal: id, version: "default", rules } }, "b.json");
}

function role(name: string, parent: string, kind: string, action: string): PolicyFile {
  const rules = [{ resource: kind, allowActions: [action] }];
  return fileOf({ rolePolicy: { role: name, version: "default", parentRoles: [parent], rules } }, "b.json");
}

describe.each(Object.entries(PLACES))("%s", (_, files) => {
  test.each([
    ["\u202e", "U+202E", "changes the direction of text"],
    ["\u2066", "U+2066", "changes the direction of text"],
    ["\u061c", "U+061C", "changes the direction of text"],
    ["\u200b", "U+200B", "is invisible"],
    ["\u00ad", "U+00AD", "is invisible"],
    ["\u2060", "U+2060", "is invisible"],
    ["\ufe0f", "U+FE0F", "is invisible"],
    ["\u3164", "U+3164", "is invisible"],
    ["\u{e0041}", "U+E0041", "is invisible"],
  ])("with %j", (char, point, what) => {
    const [one, ...others] = found(files(`na${char}me`), "hidden_character");
    expect(one).toContain(
      `\\u{${point.slice(2).toLowerCase().replace(/^0+/, "")}}me" contains ${point}, which ${what},`,
    );
    expect(one).toMatch(/^warning: .*\(did you mean "name"\?\)$/u);
    expect(one).not.toContain(char);
    expect(others).toEqual([]);
  });

  test.each(["name", "na me", "näme", "имя", "名前", "name😀"])("without: %s", (name) => {
    expect(found(files(name), "hidden_character")).toEqual([]);
  });
});

test("several characters are all named, up to four", () => {
  const [one] = found([resource([{ ...RULE, actions: ["\u200b\u200c\u202e\u2066\u2069read"] }])], "hidden_character");
  expect(one).toContain("contains U+200B, which is invisible; U+200C, which is invisible; U+202E, which changes");
  expect(one).toContain("U+2066, which changes the direction of text; and others, so");
});

test.each<[what: string, more: object]>([
  ["a version", { version: "v\u200b1" }],
  ["a scope", { scope: "acme\u200b" }],
  ["the name of a rule", { rules: [{ ...RULE, name: "r\u200b1" }] }],
  ["a variable", { variables: { local: { "a\u200b": "1" } } }],
  ["a constant", { constants: { local: { "a\u200b": 1 } } }],
  ["an import", { importDerivedRoles: ["a\u200b"] }],
])("%s with an invisible character does not load", (_, more) => {
  expect(compilePolicies([resource([RULE], more)], { platform: "none" })._tag).toBe("Left");
});
