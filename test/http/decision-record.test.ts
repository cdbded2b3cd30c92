/** The record of a decision: a flat object without attributes. */

import { expect, test } from "vitest";
import { decisionRecord } from "../../src/http/index.js";
import { compilePolicies, type DecisionRequest, decide } from "../../src/index.js";
import { policy } from "../support/compose.js";
import { HOSTILE_KEYS, throwingProxy } from "../support/hostile.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const about = { requestId: "req_1", durationMs: 0.25, policySetHash: "sha256:00" };
const record = (request: DecisionRequest) => decisionRecord({ ...about, request, decision: decide(shipped, request) });

test("a refusal by the platform", () => {
  const request = ask("apis.deleteApi", { resource: { system: true, keyCount: 3 } });
  expect(record(request)).toEqual({
    requestId: "req_1",
    keyId: "key_caller",
    operation: "apis.deleteApi",
    resourceKind: "api",
    resourceId: "api_1",
    accountId: "acc_1",
    outcome: "forbidden",
    permissionEffect: "allow",
    permissionRules: ["resource.api.vdefault#role_may_administer"],
    permissionReasons: ["role_may_administer"],
    permissionErrors: [],
    platformEffect: "deny",
    platformRules: ["resource.api.vplatform#system_resource", "resource.api.vplatform#out_of_sequence"],
    platformReasons: ["system_resource", "out_of_sequence"],
    platformErrors: [],
    policySetHash: "sha256:00",
    durationMs: 0.25,
  });
});

test("a fault, by its kind: what it says can have values in it", () => {
  const recorded = record(Object.assign(ask("apis.deleteApi"), { account: undefined }));
  expect(recorded).toMatchObject({ outcome: "forbidden", fault: "invalid_request", permissionErrors: [] });
  expect(recorded.platformErrors).toEqual(["invalid_request"]);
  const without: typeof decide = (_, request) => Reflect.apply(decide, undefined, [undefined, request]);
  const request = ask("apis.deleteApi");
  expect(decisionRecord({ ...about, request, decision: without(shipped, request) })).toMatchObject({
    fault: "invalid_policies",
    platformErrors: ["invalid_policies"],
  });
});

test("a permission-only set: nobody asked the platform, and there is no account", () => {
  const text = policy({ rules: ["name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW"] });
  const loaded = compilePolicies([{ path: "doc.yaml", text }], { platform: "none" });
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  const request = {
    key: { id: "ann", roles: ["user"] },
    operation: "read",
    resource: { kind: "doc", id: "d1" },
  };
  expect(decisionRecord({ ...about, request, decision: decide(loaded.right, request) })).toMatchObject({
    accountId: "",
    outcome: "allow",
    permissionRules: ["resource.doc.vdefault#read"],
    platformEffect: "allow",
    platformRules: [],
    platformReasons: ["not_asked"],
    platformErrors: [],
  });
});

test("nothing matched, and an operation that is not supported", () => {
  expect(record(ask("apis.archiveApi"))).toMatchObject({
    outcome: "forbidden",
    permissionRules: [],
    permissionReasons: ["not_granted"],
    platformReasons: ["not_available"],
  });
});

test("errors are the names of rules; no attribute, message or expression is in a record", () => {
  const secret = "sk_live_hunter2";
  const request = ask("keys.createKey", {
    key: { permissions: secret, workspaceIds: secret },
    resource: { state: secret },
    account: { limits: secret },
  });
  const { permissionErrors, platformErrors, ...rest } = record(request);
  expect(permissionErrors.length).toBeGreaterThan(0);
  expect(platformErrors).toContain("resource.api.vplatform#quota_exceeded");
  expect([...permissionErrors, ...platformErrors].join("\n")).toMatch(/^(resource\.api\.v\w+#[\w.]+\n?)+$/);
  expect(JSON.stringify([rest, permissionErrors, platformErrors])).not.toContain(secret);
});

test("whatever is no request is recorded with what there is of it, as one line of JSON", () => {
  const hostile = [undefined, null, 1, {}, throwingProxy(), ...HOSTILE_KEYS.map((make) => ({ key: make() }))];
  for (const request of hostile) {
    const decision = decide(shipped, request as DecisionRequest);
    const line = JSON.stringify(decisionRecord({ ...about, request: request as DecisionRequest, decision }));
    expect(JSON.parse(line)).toMatchObject({
      operation: "",
      outcome: "forbidden",
      platformErrors: ["invalid_request"],
    });
  }
  const named = { ...ask("apis.getApi"), operation: 'x\n{"outcome":"allow"}' };
  expect(JSON.stringify(record(named))).not.toContain("\n");
});
