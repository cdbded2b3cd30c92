/** The record of a decision: a flat object without attributes. */

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { decisionRecord, type ReadsOptions } from "../../src/http/index.js";
import { compilePolicies, type DecisionRequest, decide, decideChain } from "../../src/index.js";
import { ROOT } from "../support/built.js";
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

const SALT = "a salt of some length";

function withReads(
  request: DecisionRequest,
  options: Partial<ReadsOptions> & Pick<Parameters<typeof decisionRecord>[0], "ancestors"> = {},
) {
  const decision = decide(shipped, request);
  return decisionRecord({ ...about, request, decision, record: "reads", policies: shipped, ...options });
}

const schema = JSON.parse(readFileSync(`${ROOT}schemas/decision-record.schema.json`, "utf8"));
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const isOfShape = ajv.compile(schema);

test("reads: the attributes that rules of the operation may read, those that are absent, and the clock", () => {
  const all = Object.entries({ ...ask("keys.getKey").resource.attr, note: "not read" });
  const attr = Object.fromEntries(all.filter(([name]) => name !== "apiId"));
  const request = { ...ask("keys.getKey"), resource: { kind: "key", id: "key_1", attr }, now: new Date(1_000) };
  const { version, reads, ...rest } = withReads(request);
  expect([version, reads]).toEqual([
    2,
    {
      key: { roles: ["admin"], attr: ask("keys.getKey").key.attr, absent: [] },
      resource: { attr: expect.not.objectContaining({ note: "not read" }), absent: ["apiId"] },
      account: { attr: {}, absent: [] },
      now: "1970-01-01T00:00:01Z",
    },
  ]);
  expect(rest).toEqual(record(request));
});

test("records have the published shape", () => {
  const odd = ask("apis.getApi", { key: { permissions: Number.NaN }, resource: { scope: "x" } });
  const found = [
    record(ask("apis.getApi")),
    withReads(ask("apis.getApi")),
    withReads(odd),
    withReads(ask("apis.getApi"), { mask: ["key.attr.permissions"], salt: SALT }),
  ];
  expect(found.map((one) => isOfShape(JSON.parse(JSON.stringify(one))))).toEqual([true, true, true, true]);
  expect(withReads(odd).reads?.key).toMatchObject({ unreadable: ["permissions"] });
  const { version: _, ...bare } = withReads(ask("apis.getApi"));
  expect(isOfShape(bare)).toBe(false);
});

test("keys above: the attributes of each, and the one that lacks the permission", () => {
  const request = ask("apis.getApi");
  const { key, ...target } = request;
  const parent = { ...key, id: "key_parent" };
  const lesser = { id: "key_top", roles: ["custom"], attr: { ...key.attr, permissions: [] } };
  const made = (ancestors: readonly (DecisionRequest["key"] | undefined)[]) => {
    const decision = decideChain(shipped, [key, ...ancestors.filter((one) => one !== undefined)], target);
    return decisionRecord({ ...about, request, decision, record: "reads", policies: shipped, ancestors });
  };
  const record = made([parent, lesser]);
  expect(record).toMatchObject({ keyId: key.id, outcome: "insufficient_permissions", refusedBy: "key_top" });
  expect(record.reads?.ancestors).toEqual([
    { id: "key_parent", roles: ["admin"], attr: key.attr, absent: [] },
    { id: "key_top", roles: ["custom"], attr: lesser.attr, absent: [] },
  ]);
  const masked = { mask: ["key.attr.permissions"], salt: SALT } as const;
  const hidden = withReads(request, { ...masked, ...{ ancestors: [lesser] } }).reads?.ancestors?.[0];
  expect(hidden).toMatchObject({
    masked: ["permissions"],
    attr: { permissions: expect.stringMatching(/^hmac-sha256:/) },
  });
  const found = [record, made([]), made([parent, undefined])].map((one) => JSON.parse(JSON.stringify(one)));
  expect(found.map((one) => isOfShape(one))).toEqual([true, true, true]);
  expect(found.map(({ reads }) => reads.ancestors.length)).toEqual([2, 0, 2]);
  expect(made(Array.from({ length: 16 }, () => parent))).not.toHaveProperty("reads");
  const link = { ...about, request, decision: decideChain(shipped, [key, lesser], target) };
  expect(decisionRecord({ ...link, record: "reads", policies: shipped })).not.toHaveProperty("reads");
  for (const make of HOSTILE_KEYS) expect(made([Object(make())]).reads?.ancestors).toHaveLength(1);
});

test("masked values: equal texts for equal values, in any attribute, and the value nowhere", () => {
  const mask = ["key.attr.accountId", "resource.attr.accountId", "key.attr.permissions"] as const;
  const request = ask("apis.getApi", { key: { permissions: ["hunter2"] } });
  const { reads } = withReads(request, { mask, salt: SALT });
  const hash = `hmac-sha256:${createHmac("sha256", SALT).update(JSON.stringify("acc_1")).digest("hex")}`;
  expect([reads?.key.attr.accountId, reads?.resource.attr.accountId]).toEqual([hash, hash]);
  expect([reads?.key.masked, reads?.resource.masked]).toEqual([["accountId", "permissions"], ["accountId"]]);
  expect(JSON.stringify(reads)).not.toContain("hunter2");
  expect(withReads(request, { mask, salt: `${SALT}!` }).reads?.key.attr.accountId).not.toBe(hash);
});

test.each<[Partial<ReadsOptions>, RegExp]>([
  [{ mask: ["key.attr.email"] }, /salt of at least 16/],
  [{ mask: ["key.attr.email"], salt: "short" }, /salt of at least 16/],
  [{ mask: ["key.attr."], salt: SALT }, /must name attributes/],
])("%j is refused", (options, message) => {
  expect(() => withReads(ask("apis.getApi"), options)).toThrow(message);
});

test("fields of a key beside its attributes are not recorded: its secret is none of them", () => {
  const request = ask("apis.getApi");
  const key = { ...request.key, secret: "sk_live_hunter2", attr: { ...request.key.attr, hash: "sk_live_hunter2" } };
  expect(JSON.stringify(withReads({ ...request, key }))).not.toContain("hunter2");
});

test("a malformed request has no reads", () => {
  for (const request of [undefined, {}, throwingProxy(), ...HOSTILE_KEYS.map((make) => ({ key: make() }))]) {
    const found = withReads(request as DecisionRequest);
    expect([found.version, found.reads]).toEqual([undefined, undefined]);
  }
});
