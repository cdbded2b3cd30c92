/** A policy set of any size: each kind has a permission policy, a platform policy and a schema. */

import type { PolicyFile } from "../../src/index.js";

const REACH = `apiVersion: api.cerbos.dev/v1
exportVariables:
  name: reach
  definitions:
    same_account: R.attr.accountId == P.attr.accountId
    in_reach: V.same_account && R.attr.environment in P.attr.environments
`;

const KEY = JSON.stringify({
  type: "object",
  properties: {
    accountId: { type: "string" },
    environments: { type: "array", items: { type: "string" } },
    permissions: { type: "array", items: { type: "string" } },
  },
  required: ["accountId", "environments", "permissions"],
});

const ACCOUNT = JSON.stringify({
  type: "object",
  properties: { plan: { enum: ["free", "pro"] }, limit: { type: "integer" }, used: { type: "integer" } },
  required: ["plan", "limit", "used"],
});

function schema(i: number): string {
  return JSON.stringify({
    type: "object",
    properties: {
      accountId: { type: "string" },
      environment: { enum: ["development", "production"] },
      system: { type: "boolean" },
      [`level_${i}`]: { type: "integer" },
    },
    required: ["accountId", "environment", "system", `level_${i}`],
  });
}

function permission(i: number): string {
  return `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: kind_${i}
  version: default
  schemas:
    principalSchema: { ref: cerbos:///key.json }
    resourceSchema: { ref: cerbos:///kind_${i}.json }
  variables:
    import: [reach]
  rules:
    - name: role_may_read
      actions: [kind_${i}.get, kind_${i}.list]
      roles: [viewer, editor, admin]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: V.in_reach
    - name: role_may_write
      actions: [kind_${i}.update]
      roles: [editor, admin]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: V.in_reach && R.attr.level_${i} < ${i + 3}
    - name: permission_to_write
      actions: [kind_${i}.update]
      roles: ["*"]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: V.in_reach && hasIntersection(P.attr.permissions, ["kind_${i}.*.write", "kind_${i}." + R.id + ".write"])
`;
}

function platform(i: number): string {
  return `apiVersion: api.cerbos.dev/v1
metadata:
  annotations:
    keyward.clause/system_resource: "1.${i}"
    keyward.clause/quota_exceeded: "2.${i}"
resourcePolicy:
  resource: kind_${i}
  version: platform
  schemas:
    principalSchema: { ref: cerbos:///account.json }
    resourceSchema: { ref: cerbos:///kind_${i}.json }
  rules:
    - name: supported
      actions: [kind_${i}.get, kind_${i}.list, kind_${i}.update]
      roles: [account]
      effect: EFFECT_ALLOW
    - name: system_resource
      actions: [kind_${i}.update]
      roles: [account]
      effect: EFFECT_DENY
      condition:
        match:
          none:
            of:
              - expr: R.attr.system == false
      output:
        when:
          ruleActivated: '"system_resource"'
    - name: quota_exceeded
      actions: [kind_${i}.update]
      roles: [account]
      effect: EFFECT_DENY
      condition:
        match:
          expr: P.attr.used >= P.attr.limit && P.attr.plan != "pro"
      output:
        when:
          ruleActivated: '"quota_exceeded"'
`;
}

/** A set of `policies` policies, two for each kind. */
export function manyPolicies(policies: number): PolicyFile[] {
  const kinds = Array.from({ length: policies / 2 }, (_, i) => i);
  return [
    { path: "permissions/reach.yaml", text: REACH },
    { path: "_schemas/key.json", text: KEY },
    { path: "_schemas/account.json", text: ACCOUNT },
    ...kinds.flatMap((i) => [
      { path: `permissions/kind_${i}.yaml`, text: permission(i) },
      { path: `platform/kind_${i}.yaml`, text: platform(i) },
      { path: `_schemas/kind_${i}.json`, text: schema(i) },
    ]),
  ];
}
