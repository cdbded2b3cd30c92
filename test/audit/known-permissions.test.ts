/** The permissions and roles that policies know. */

import { expect, test } from "vitest";
import { isKnownPermission, isKnownRole, knownPermissions } from "../../src/audit/index.js";
import { compilePoliciesOrThrow } from "../../src/index.js";
import { shipped } from "../support/policies.js";

/** Policies with one rule that has a condition. */
function withCondition(condition: string) {
  const text = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  constants:
    local:
      list: ["doc.*.list", "doc.*.export"]
      prefix: doc.
      unread: doc.*.unread
  variables:
    local:
      own: C.prefix + R.id + ".own"
      by_own: R.attr.state == "doc.*.state" && V.own in P.attr.permissions
      unread: '"doc.*.unread" in P.attr.permissions'
  rules:
    - name: rule
      actions: [read]
      roles: [writer, "rea*"]
      effect: EFFECT_ALLOW
      condition:
        match:
          all:
            of:
              - expr: ${JSON.stringify(condition)}
              - expr: '"auditor" in P.roles'
      output: { when: { ruleActivated: '"doc.*.told"' } }
`;
  return compilePoliciesOrThrow([{ path: "doc.yaml", text }], { platform: "none" });
}

test.each<[string, readonly (readonly string[])[]]>([
  ['"doc.*.read" in P.attr.permissions', [["doc.*.read"]]],
  ['hasIntersection(P.attr.permissions, ["doc.*.read", "doc." + R.id + ".read"])', [["doc.", ".read"], ["doc.*.read"]]],
  ['P.attr.permissions.exists(p, p == "doc." + R.attr.kind + "." + R.id)', [["doc.", ".", ""]]],
  [
    'P.attr.permissions.exists(p, p.startsWith("doc.") && p.endsWith(".read"))',
    [
      ["", ".read"],
      ["doc.", ""],
    ],
  ],
  ["hasIntersection(C.list, P.attr.permissions)", [["doc.*.export"], ["doc.*.list"]]],
  ["V.own in P.attr.permissions", [["doc.", ".own"]]],
  ["R.id != V.own && V.by_own", [["doc.", ".own"]]],
  ['R.attr.state == "doc.*.state" && !("doc.*.read" in P.attr.permissions)', [["doc.*.read"]]],
  [
    'R.attr.owner == "x" ? "doc.*.a" in P.attr.permissions : "doc.*.b" in P.attr["permissions"]',
    [["doc.*.a"], ["doc.*.b"]],
  ],
  ["R.attr.needed in P.attr.permissions", []],
  ['"doc.*.read" in P.attr.others', []],
])("those of %s", (condition, expected) => {
  expect(knownPermissions(withCondition(condition))).toEqual(expected);
});

test("another attribute can have them", () => {
  expect(knownPermissions(withCondition('"doc.*.read" in P.attr.others'), "others")).toEqual([["doc.*.read"]]);
});

test.each([
  ["doc.*.read", true],
  ["doc.d_1.read", false],
  ["doc.d_1.write", true],
  ["doc..write", true],
  ["doc.write", false],
  ["doc.*.manage", false],
])("%s is known: %j", (permission, isKnown) => {
  const known = knownPermissions(
    withCondition('hasIntersection(P.attr.permissions, ["doc.*.read", "doc." + R.id + ".write"])'),
  );
  expect(isKnownPermission(known, permission)).toBe(isKnown);
});

test.each([
  ["writer", true],
  ["reader", true],
  ["auditor", true],
  ["admin", false],
  ["*", false],
])("the role %s is known: %j", (role, isKnown) => {
  expect(isKnownRole(withCondition("R.id != P.id"), role)).toBe(isKnown);
});

test("those of the shipped policies: each action, by type, for every resource and for one", () => {
  const types = {
    api: ["create_key", "delete_api", "delete_key", "read_api", "read_key", "update_api", "update_key", "verify_key"],
    key: ["delete_key", "read_key", "update_key", "verify_key"],
    workspace: ["create_api", "create_workspace", "delete_workspace", "read_api"],
  };
  const both = Object.entries(types).flatMap(([type, actions]) =>
    actions.flatMap((action) => [`${type}.*.${action}`, `${type}.<id>.${action}`]),
  );
  const names = knownPermissions(shipped).map((pieces) => pieces.join("<id>"));
  expect(names.sort()).toEqual([...both, "api.*.create_api"].sort());
});
