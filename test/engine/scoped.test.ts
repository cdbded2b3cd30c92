/** Layers with the full policy language: principal policies, role policies, scopes, `runtime`, globals. */

import { describe, expect, test } from "vitest";
import { compilePolicies, type Decision, decide, type PolicySet } from "../../src/index.js";

const HEAD = "apiVersion: api.cerbos.dev/v1\n";

const PLATFORM = `${HEAD}resourcePolicy:
  resource: doc
  version: platform
  rules:
    - {name: supported, actions: ["*"], roles: [account], effect: EFFECT_ALLOW}
`;

/** Policies by name, without their first line; the platform allows everything unless a platform policy is given. */
function load(policies: { readonly [name: string]: string }, globals = {}): PolicySet {
  const files = Object.entries({ platform: PLATFORM, ...policies }).map(([name, text]) => ({
    path: `${name}.yaml`,
    text: text.startsWith(HEAD) ? text : HEAD + text,
  }));
  const loaded = compilePolicies(files, { globals });
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  return loaded.right;
}

function ask(policies: PolicySet, key: object = {}, resource: object = {}, account: object = {}): Decision {
  return decide(policies, {
    key: { id: "k1", roles: ["user"], attr: {}, ...key },
    operation: "read",
    resource: { kind: "doc", id: "d1", attr: {}, ...resource },
    account: { id: "acc", attr: {}, ...account },
  });
}

const ROOT = `resourcePolicy:
  resource: doc
  version: default
  rules:
    - {name: users, actions: [read], roles: [user], effect: EFFECT_ALLOW}
`;

describe("a principal policy is final", () => {
  const policies = load({
    root: ROOT,
    banned: `principalPolicy:
  principal: banned
  version: default
  rules:
    - resource: doc
      actions:
        - {name: never, action: "*", effect: EFFECT_DENY}
`,
    robot: `principalPolicy:
  principal: robot
  version: default
  rules:
    - resource: "*"
      actions:
        - {name: always, action: read, effect: EFFECT_ALLOW, condition: {match: {expr: P.attr.level > 3}}}
`,
  });

  test("a key that it denies lacks the permission, whatever its roles", () => {
    const decision = ask(policies, { id: "banned" });
    expect(decision).toMatchObject({
      outcome: "insufficient_permissions",
      permission: { policy: "principal.banned.vdefault", reasons: [{ kind: "rule", rule: "never" }] },
    });
  });

  test("a key that it allows needs no role", () => {
    expect(ask(policies, { id: "robot", roles: ["none"], attr: { level: 4 } }).outcome).toBe("allow");
    expect(ask(policies, { id: "robot", roles: ["none"], attr: { level: 3 } }).outcome).toBe(
      "insufficient_permissions",
    );
  });

  test("a condition that errs denies, also where a role would allow", () => {
    const decision = ask(policies, { id: "robot", attr: { level: "high" } });
    expect(decision.outcome).toBe("insufficient_permissions");
    expect(decision.permission.errors).toMatchObject([
      { rule: "always", expression: "P.attr.level > 3", position: "robot.yaml:8:101" },
    ]);
  });
});

test("a role policy restricts its role to what it lists, and gives it what its parents have", () => {
  const policies = load({
    root: ROOT,
    intern: `rolePolicy:
  role: intern
  parentRoles: [user]
  rules:
    - {resource: doc, allowActions: [read]}
`,
    outsider: `rolePolicy:
  role: outsider
  parentRoles: [user]
  rules:
    - {resource: other, allowActions: [read]}
`,
  });
  expect(ask(policies, { roles: ["intern"] }).outcome).toBe("allow");
  expect(ask(policies, { roles: ["outsider"] })).toMatchObject({
    outcome: "insufficient_permissions",
    permission: { policy: "role.outsider.vdefault" },
  });
  expect(ask(policies, { roles: ["outsider", "intern"] }).outcome).toBe("allow");
});

describe("scopes", () => {
  const policies = load({
    root: ROOT,
    acme: `resourcePolicy:
  resource: doc
  version: default
  scope: acme
  rules:
    - {name: no_guests, actions: [read], roles: [user], effect: EFFECT_DENY, condition: {match: {expr: P.attr.guest}}}
`,
    platform: `${PLATFORM.trimEnd()}
    - name: frozen
      actions: ["*"]
      roles: [account]
      effect: EFFECT_DENY
      condition: {match: {expr: P.attr.frozen}}
      output: {when: {ruleActivated: '"frozen"'}}
`,
  });
  const account = { attr: { frozen: false } };

  test("the most specific scope decides first, then its parents", () => {
    expect(ask(policies, { attr: { guest: true } }, { scope: "acme" }, account).permission).toMatchObject({
      effect: "deny",
      policy: "resource.doc.vdefault/acme",
      scope: "acme",
      reasons: [{ rule: "no_guests" }],
    });
    expect(ask(policies, { attr: { guest: false } }, { scope: "acme" }, account).permission).toMatchObject({
      effect: "allow",
      scope: "",
      reasons: [{ rule: "users" }],
    });
  });

  test("what errs in a scope denies there", () => {
    expect(ask(policies, {}, { scope: "acme" }, account).permission).toMatchObject({
      effect: "deny",
      errors: [{ rule: "no_guests", message: "no such key: guest" }],
    });
  });

  test("the platform's prohibitions hold in every scope", () => {
    for (const scope of ["", "acme"]) {
      const decision = ask(policies, { attr: { guest: false } }, { scope }, { attr: { frozen: true } });
      expect(decision.outcome).toBe("forbidden");
      expect(decision.platform.reasons).toMatchObject([{ reason: "frozen" }]);
    }
  });

  test("a scope that no policy has is denied", () => {
    expect(ask(policies, {}, { scope: "other" }, account).outcome).toBe("forbidden");
  });
});

test("expressions read globals, and the derived roles that are active", () => {
  const policies = load(
    {
      roles: `derivedRoles:
  name: roles
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`,
      doc: `resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [roles]
  rules:
    - {name: owners, actions: [write], derivedRoles: [owner], effect: EFFECT_ALLOW}
    - name: all
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: '"owner" in runtime.effectiveDerivedRoles && G.environment == "test"'}}
`,
    },
    { environment: "test" },
  );
  expect(ask(policies, {}, { attr: { owner: "k1" } }).outcome).toBe("allow");
  expect(ask(policies, {}, { attr: { owner: "k2" } }).outcome).toBe("insufficient_permissions");
});
