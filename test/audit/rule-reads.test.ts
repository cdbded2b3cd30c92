/** The values that rules read. */

import { expect, test } from "vitest";
import { readsOfRules } from "../../src/audit/index.js";
import { compilePoliciesOrThrow } from "../../src/index.js";

const FILES = {
  "doc.yaml": `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [owners]
  variables:
    local:
      open: V.known && R.attr.state == "open"
      known: has(R.attr.owner)
      unread: R.attr.unread == 1
  rules:
    - name: by_owner
      actions: [read]
      derivedRoles: [owner]
      effect: EFFECT_ALLOW
      condition: { match: { expr: V.open } }
      output: { when: { ruleActivated: R.attr.told } }
`,
  "owners.yaml": `
apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: owners
  definitions:
    - name: owner
      parentRoles: [user]
      condition: { match: { expr: 'R.attr["owner"] == P.id && G.limits.docs > 1.0' } }
`,
  "alice.yaml": `
apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules:
    - resource: doc
      actions:
        - { name: once, action: read, effect: EFFECT_DENY, condition: { match: { expr: now() > timestamp(R.attr.until) } } }
`,
  "auditor.yaml": `
apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: auditor
  version: default
  rules:
    - resource: doc
      allowActions: [read]
      condition: { match: { expr: size(R.attr) > 1 } }
`,
  "platform.yaml": `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: platform
  rules:
    - name: active
      actions: [read]
      roles: ["*"]
      effect: EFFECT_ALLOW
      condition: { match: { expr: P.attr.plan.name == "pro" } }
`,
};

test("are told rule by rule, through variables and derived roles, without outputs", () => {
  const files = Object.entries(FILES).map(([path, text]) => ({ path, text }));
  const policies = compilePoliciesOrThrow(files, { globals: { limits: { docs: 2 } } });
  const told = readsOfRules(policies).map(({ layer, rule, root, path, file, line, column }) =>
    [layer, rule, [root, ...path].join("."), `${file}:${line}:${column}`].join(" "),
  );
  expect(told).toEqual([
    "permission principal.alice.vdefault#1.once R.attr.until alice.yaml:9:112",
    "permission principal.alice.vdefault#1.once now() alice.yaml:9:88",
    "permission role.auditor.vdefault#rule-1 R.attr auditor.yaml:9:41",
    "permission resource.doc.vdefault#by_owner R.attr.state doc.yaml:9:30",
    "permission resource.doc.vdefault#by_owner R.attr.owner doc.yaml:10:14",
    "permission resource.doc.vdefault#by_owner R.attr.owner owners.yaml:8:42",
    "permission resource.doc.vdefault#by_owner P.id owners.yaml:8:56",
    "permission resource.doc.vdefault#by_owner G.limits.docs owners.yaml:8:71",
    "platform resource.doc.vplatform#active P.attr.plan.name platform.yaml:11:46",
  ]);
});
