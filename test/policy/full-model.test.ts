/** Principal policies, role policies and scopes, as the engine sees them. */

import { describe, expect, test } from "vitest";
import { modelOf, principalPolicy, resourcePolicy, rolePolicy, set } from "./support.js";

const CONSENT = "scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";

describe("a principal policy", () => {
  test("has one rule for each action, in the order of the file; names count within a resource", () => {
    const { principalPolicies } = modelOf(
      principalPolicy(
        `rules:
  - resource: a:b
    actions:
      - {action: view, effect: EFFECT_ALLOW}
      - {name: named, action: "edit:*", effect: EFFECT_DENY}
      - {action: view, effect: EFFECT_DENY, condition: {match: {expr: P.id == R.id}}}
  - resource: "a:*"
    actions:
      - {action: "*", effect: EFFECT_ALLOW, output: {when: {ruleActivated: P.id}}}`,
        "bob@x.com",
      ),
    );
    const [policy] = principalPolicies;
    expect(policy).toMatchObject({
      kind: "principal",
      key: "principal.bob_x.com.vdefault",
      name: "bob@x.com",
      version: "default",
      scope: "",
      scopePermissions: "override_parent",
      at: { file: "a.yaml", line: 3, column: 14 },
    });
    expect(
      policy?.rules.map(({ name, named, resource, resourceName, actions, effect, at }) => [
        name,
        named,
        resource,
        resourceName,
        actions,
        effect,
        at.line,
      ]),
    ).toEqual([
      ["a:b_rule-001", false, "a:b", "a_b", ["view"], "allow", 8],
      ["named", true, "a:b", "a_b", ["edit:*"], "deny", 9],
      ["a:b_rule-003", false, "a:b", "a_b", ["view"], "deny", 10],
      ["a:*_rule-001", false, "a:*", "a:*", ["*"], "allow", 13],
    ]);
    expect(policy?.rules[2]?.condition).toMatchObject({ kind: "expr", expr: { source: "P.id == R.id" } });
    expect(policy?.rules[3]?.output?.ruleActivated?.source).toBe("P.id");
  });

  test("reads variables and constants as a resource policy does; protobuf spellings; no rules", () => {
    const { principalPolicies } = modelOf({
      "a.yaml": `variables: {top: V.local}\n${principalPolicy(
        "variables: {import: [vars], local: {local: C.c, unused: '1'}}\nconstants: {local: {c: 1}}\nrules: [{resource: doc, actions: [{action: a, effect: EFFECT_DENY, condition: {match: {expr: V.top}}, output: {when: {rule_activated: V.far}}}]}]",
      )}`,
      "b.yaml": set("exportVariables", "vars", "definitions: {far: '1'}"),
      "c.json": `{"apiVersion": "api.cerbos.dev/v1", "description": "d", "metadata": {"annotations": {"a": "b"}}, "$schema": "s",
          "principal_policy": {"principal": "42", "version": "v1", "scope_permissions": "SCOPE_PERMISSIONS_UNSPECIFIED"}}`,
    });
    const [first, second] = principalPolicies;
    expect([...(first?.definitions.variables.keys() ?? [])]).toEqual(["far", "local", "top"]);
    expect([...(first?.definitions.constants ?? [])]).toEqual([["c", 1]]);
    expect(second).toMatchObject({ key: "principal.42.vv1", rules: [], scopePermissions: "override_parent" });
  });
});

describe("a role policy", () => {
  test("as the engine sees it", () => {
    const { rolePolicies } = modelOf(
      rolePolicy(
        "scope: acme.hr\nparent_roles: [user, '*']\nrules:\n  - {resource: 'a:*', allow_actions: ['view:*', edit]}\n  - {resource: a:b, allowActions: [x], condition: {match: {expr: G.on}}}",
        "a:clerk",
      ),
    );
    expect(rolePolicies).toMatchObject([
      {
        kind: "role",
        key: "role.a_clerk.vdefault/acme.hr",
        role: "a:clerk",
        version: "default",
        scope: "acme.hr",
        parentRoles: ["user", "*"],
        rules: [
          { name: "", resource: "a:*", allowActions: ["view:*", "edit"], condition: undefined, at: { line: 7 } },
          { resource: "a:b", allowActions: ["x"], condition: { kind: "expr", expr: { source: "G.on" } } },
        ],
        at: { file: "a.yaml", line: 3, column: 9 },
      },
    ]);
  });
});

describe("scopes", () => {
  const keysOf = (policies: readonly { readonly key: string }[]) => policies.map(({ key }) => key);

  test("every scope has its policy and its permissions; one without rules is there", () => {
    const model = modelOf({
      "a.yaml": resourcePolicy(""),
      "b.yaml": resourcePolicy(`scope: a\n${CONSENT}`).split("  rules:").slice(0, 1).join(""),
      "c.yaml": resourcePolicy("scope: a.b"),
      "d.yaml": principalPolicy(""),
      "e.yaml": principalPolicy(`scope: a\n${CONSENT}`),
      "f.yaml": rolePolicy("scope: z"),
    });
    expect(keysOf(model.resourcePolicies)).toEqual([
      "resource.doc.vdefault",
      "resource.doc.vdefault/a",
      "resource.doc.vdefault/a.b",
    ]);
    expect(model.resourcePolicies[1]).toMatchObject({
      scope: "a",
      rules: [],
      scopePermissions: "require_parental_consent_for_allows",
    });
    expect(keysOf(model.principalPolicies)).toEqual(["principal.bob.vdefault", "principal.bob.vdefault/a"]);
    expect([...model.scopePermissions]).toEqual([
      ["", "override_parent"],
      ["a", "require_parental_consent_for_allows"],
      ["a.b", "override_parent"],
    ]);
  });

  test("the schemas of the root hold in every scope", () => {
    const model = modelOf({
      "a.yaml": resourcePolicy("schemas: {resourceSchema: {ref: 'cerbos:///r.json'}}"),
      "b.yaml": resourcePolicy("scope: a\nschemas: {principalSchema: {ref: 'cerbos:///p.json'}}"),
      "c.yaml": resourcePolicy("version: v2\nschemas: {principalSchema: {ref: 'cerbos:///p.json'}}").replace(
        "  version: default\n",
        "",
      ),
      "_schemas/p.json": "{}",
      "_schemas/r.json": "{}",
    });
    expect(model.resourcePolicies.map((p) => [p.key, p.principalSchema?.ref, p.resourceSchema?.ref])).toEqual([
      ["resource.doc.vdefault", undefined, "cerbos:///r.json"],
      ["resource.doc.vdefault/a", undefined, "cerbos:///r.json"],
      ["resource.doc.vv2", "cerbos:///p.json", undefined],
    ]);
  });

  test("resource policies above which there are only role policies are left out", () => {
    const model = modelOf({
      "a.yaml": resourcePolicy(""),
      "b.yaml": resourcePolicy(`scope: a.b\n${CONSENT}`),
      "c.yaml": resourcePolicy("scope: a.b.c"),
      "d.yaml": rolePolicy("scope: a\nrules: [{resource: '*', allowActions: [x]}]"),
    });
    expect(keysOf(model.resourcePolicies)).toEqual(["resource.doc.vdefault"]);
    expect([...model.scopePermissions]).toEqual([["", "override_parent"]]);
    expect(model.warnings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      "b.yaml missing_scope",
      "c.yaml missing_scope",
    ]);
  });

  test("the order of files makes no difference", () => {
    const files = {
      "c.yaml": resourcePolicy(""),
      "b.yaml": resourcePolicy("scope: a"),
      "a.yaml": resourcePolicy("scope: a.b"),
    };
    expect(keysOf(modelOf(files).resourcePolicies)).toEqual([
      "resource.doc.vdefault/a.b",
      "resource.doc.vdefault/a",
      "resource.doc.vdefault",
    ]);
  });
});
