/** Complete decisions, field by field, for malformed requests and for values that are not policy sets. */

import { expect, test } from "vitest";
import { OUTCOMES } from "../../src/decisions/types.js";
import { decide } from "../../src/index.js";
import { shipped } from "../support/policies.js";

const key = { id: "k", roles: ["admin"], attr: { accountId: "a" } };
const account = { id: "a", attr: {} };
const resource = { kind: "api", id: "r", attr: { accountId: "a" } };
const whole = { key, operation: "apis.getApi", resource, account };

/** The verdict of a layer that could not be asked. */
function refused(kind: string, path: string, message: string) {
  return {
    effect: "deny",
    policy: "NO_MATCH",
    scope: "",
    reasons: [{ kind: "error", reason: kind, rule: "", policy: "" }],
    errors: [{ policy: "", rule: "", expression: "", message, position: "" }],
    outputs: [],
    derivedRoles: [],
    fault: { kind, path, message },
  };
}

const decided = (policies: unknown, request: unknown): unknown => Reflect.apply(decide, undefined, [policies, request]);
const forbidden = { outcome: "forbidden" };

test.each<readonly [string, unknown, string, string]>([
  [
    "an operation that is none",
    { ...whole, operation: "" },
    "operation",
    "operation must be a string of 1 to 4096 characters",
  ],
  ["a list for a resource", { ...whole, resource: [] }, "resource.kind", "resource.kind is missing"],
  ["a time that is none", { ...whole, now: "x" }, "now", "now must be a valid Date"],
])("%s denies both layers", (_, request, path, message) => {
  const verdict = refused("invalid_request", path, `invalid request: ${message}`);
  expect(decided(shipped, request)).toEqual({
    ...forbidden,
    permission: verdict,
    platform: verdict,
    fault: verdict.fault,
  });
});

test("a key that is none denies its layer, and an account its own", () => {
  const ofKey = refused("invalid_request", "key", "invalid request: key must be an object");
  const allowed = {
    effect: "allow",
    policy: "resource.api.vplatform",
    scope: "",
    reasons: [{ kind: "rule", reason: "supported", rule: "supported", policy: "resource.api.vplatform" }],
    errors: [],
    outputs: [],
    derivedRoles: [],
  };
  expect(decided(shipped, { ...whole, key: 1 })).toEqual({
    outcome: "insufficient_permissions",
    permission: ofKey,
    platform: allowed,
    fault: ofKey.fault,
  });
  const ofAccount = refused(
    "invalid_request",
    "account.id",
    "invalid request: account.id must be a string of 1 to 4096 characters",
  );
  const { permission } = decide(shipped, whole);
  expect(decided(shipped, { ...whole, account: { id: "" } })).toEqual({
    outcome: "forbidden",
    permission,
    platform: ofAccount,
    fault: ofAccount.fault,
  });
});

const LOAD = "`const policies = await loadPoliciesOrThrow(directory)`, of keyward/node";

test.each<readonly [string, unknown, string]>([
  ["null", null, `they are null. Load them first: ${LOAD}`],
  ["an object", {}, `the argument does not come from loadPolicies or compilePolicies. ${LOAD}`],
  [
    "one layer of some",
    { permission: shipped.permission },
    `the argument does not come from loadPolicies or compilePolicies. ${LOAD}`,
  ],
])("%s for policies", (_, policies, message) => {
  const verdict = refused("invalid_policies", "", `there are no policies to ask: ${message}`);
  expect(decided(policies, whole)).toEqual({
    ...forbidden,
    permission: verdict,
    platform: verdict,
    fault: verdict.fault,
  });
});

test("outcomes", () => {
  expect(OUTCOMES).toEqual(["allow", "insufficient_permissions", "forbidden"]);
});
