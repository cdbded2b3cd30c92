/** The active derived roles as conditions read them. */

import { expect, test } from "vitest";
import { type DecisionRequest, decide } from "../../../src/index.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const DERIVED = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: teams
  definitions:
    - { name: peer, parentRoles: [user], ${when("R.attr.team == P.attr.team")} }
    - { name: any, parentRoles: ["*"] }
    - { name: other, parentRoles: [guest] }
`;
const rules = [
  // Only imported roles that some rule names count.
  "name: named, actions: [other], derivedRoles: [peer, any, other], effect: EFFECT_ALLOW",
  `name: peer, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when('"peer" in runtime.effectiveDerivedRoles')}`,
  `name: exact, actions: [list], roles: ["*"], effect: EFFECT_ALLOW, ${when('runtime.effectiveDerivedRoles == ["any", "peer"]')}`,
];
const policies = compiled([
  { path: "roles.yaml", text: DERIVED },
  { path: "doc.yaml", text: policy({ body: "importDerivedRoles: [teams]", rules }) },
  ...supportAll("doc"),
]);

function verdict(operation: string, attr: NonNullable<DecisionRequest["resource"]["attr"]>, roles = ["user"]): string {
  const key = { id: "k", roles, attr: { team: "red" } };
  const { permission } = decide(policies, {
    key,
    operation,
    resource: { kind: "doc", id: "d", attr },
    account: { id: "a", attr: {} },
  });
  return `${permission.effect}: ${permission.errors.map(({ message }) => message).join()}`;
}

test("those of the roles of the principal whose conditions hold, in the order of their names", () => {
  expect(verdict("read", { team: "red" })).toBe("allow: ");
  expect(verdict("read", { team: "blue" })).toBe("deny: ");
  expect(verdict("list", { team: "red" })).toBe("allow: ");
  expect(verdict("list", { team: "red" }, ["guest", "user"])).toBe("deny: ");
  expect(verdict("list", { team: "blue" })).toBe("deny: ");
});

test("where one errs, nobody knows which are active", () => {
  expect(verdict("read", {})).toBe("deny: failed to compute effective derived roles [peer]");
  expect(verdict("list", {}, ["user", "guest"])).toBe("deny: failed to compute effective derived roles [peer]");
});

test("outputs have those of their scope, whatever was evaluated last", () => {
  const rule = (derived: string, body: string) => [
    `name: named, actions: [other], derivedRoles: [${derived}], effect: EFFECT_ALLOW`,
    `name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${body}, output: {when: {ruleActivated: runtime.effectiveDerivedRoles, conditionNotMet: runtime.effectiveDerivedRoles}}`,
  ];
  const asks =
    "scope: acme\nscopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\nimportDerivedRoles: [teams]";
  const files = [
    { path: "roles.yaml", text: DERIVED },
    { path: "acme.yaml", text: policy({ body: asks, rules: rule("peer", when("R.id == 'd'")) }) },
    {
      path: "doc.yaml",
      text: policy({
        body: "importDerivedRoles: [teams]",
        rules: rule("any", when('"any" in runtime.effectiveDerivedRoles')),
      }),
    },
  ];
  for (const codegen of [true, false]) {
    const scoped = compiled(files, { platform: "none", codegen });
    const request = {
      key: { id: "k", roles: ["user"], attr: { team: "red" } },
      operation: "read",
      resource: { kind: "doc", id: "d", scope: "acme", attr: { team: "red" } },
      account: { id: "a" },
    };
    for (let i = 0; i < 30; i++) {
      expect(decide(scoped, request).permission.outputs.map(({ val }) => val)).toEqual([["peer"], ["any"]]);
    }
  }
});
