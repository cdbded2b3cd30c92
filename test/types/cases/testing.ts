// Matchers, and suites written in TypeScript.

import { type Decision, type DecisionRequest, decide, type PolicySet } from "keyward";
import { type DecisionSuiteDocument, hasFailures, runSuites, type TestFixtures } from "keyward/testing";
import "keyward/testing/vitest";
import type { Policies } from "shipped";
import { expect } from "vitest";

declare const policies: PolicySet<Policies>;
declare const request: DecisionRequest<Policies>;
declare const untyped: Decision;
const decision = decide(policies, request);

//! right: reasons that the layers can give
expect(decision).toBeForbidden("quota_exceeded");
expect(decision).toLackPermission("not_granted");
expect(decision).not.toBeForbidden("system_resource");
expect(decision).toBeAllowed();
//! right: without a reason
expect(decision).toBeForbidden();
//! right: a fault
expect(decision).toHaveFault();
expect(decision).not.toHaveFault("unknown_operation");
//! right: a decision of which nothing is known
expect(untyped).toBeForbidden("whatever");
//! right: a promise of a decision
expect(Promise.resolve(decision)).resolves.toBeForbidden("quota_exceeded");
//! right: fixtures, whole and by what they change
{
  const fixtures: TestFixtures<Policies> = {
    keys: {
      viewer: {
        roles: ["viewer"],
        attr: { accountId: "a", workspaceIds: ["*"], environment: "production", permissions: [] },
      },
      elsewhere: { extends: "viewer", attr: { environment: "development" }, scope: "eu" },
    },
    accounts: {
      owner: {
        id: "a",
        attr: { plan: "pro", status: "active", limits: { apis: 1, keys: 1 }, usage: { apis: 0, keys: 0 }, holds: [] },
      },
      full: { extends: "owner", attr: { usage: { keys: 1 } }, without: ["holds"] },
    },
    resources: {
      workspace: { kind: "workspace", attr: { accountId: "a", environment: "production", state: "active" } },
      suspended: { extends: "workspace", attr: { state: "suspended" } },
    },
  };
  JSON.stringify(fixtures);
}
//! right: a suite, and its run
{
  const suite: DecisionSuiteDocument<Policies> = {
    name: "quota",
    fixtures: ["testdata/service.fixtures.yaml"],
    defaults: { key: "admin", account: "owner" },
    cases: [
      { name: "full", operation: "keys.createKey", resource: "api", expect: "forbidden", reasons: ["quota_exceeded"] },
      { name: "table", resource: "api", table: { "apis.getApi": { viewer: "allow" } } },
      {
        name: "with",
        operations: ["apis.getApi"],
        resource: "api",
        with: { account: { plan: "free" } },
        expect: "allow",
      },
    ],
  };
  const report = runSuites([], new Map([["quota.decisions.yaml", JSON.stringify(suite)]]));
  if (report._tag === "Right") hasFailures(report.right);
}
//! right: a suite of which nothing is known
{
  const suite: DecisionSuiteDocument = { name: "s", cases: [{ name: "c", operation: "x", expect: "allow" }] };
  JSON.stringify(suite);
}

//! wrong(quota_exceded): a reason that is misspelt
expect(decision).toBeForbidden("quota_exceded");
//! wrong(quota_exceeded): a reason of the other layer
expect(decision).toLackPermission("quota_exceeded");
//! wrong(not_granted): a reason of the other layer
expect(decision).toBeForbidden("not_granted");
//! wrong(not_alowed): after not
expect(decision).not.toLackPermission("not_alowed");
//! wrong(quota): of a promise
expect(Promise.resolve(decision)).resolves.toBeForbidden("quota");
//! wrong(number): a reason that is no text
expect(untyped).toBeForbidden(1);
//! wrong(unknown_operaton): a kind of fault that there is not
expect(decision).toHaveFault("unknown_operaton");
//! wrong(vewer): a fixture with a role that is misspelt
{
  const fixtures: TestFixtures<Policies> = { keys: { a: { extends: "b", roles: ["vewer"] } } };
  String(fixtures);
}
//! wrong(attr): a fixture that is not whole
{
  const fixtures: TestFixtures<Policies> = { keys: { a: { roles: ["viewer"] } } };
  String(fixtures);
}
//! wrong(apis): a fixture of a kind that is misspelt
{
  const fixtures: TestFixtures<Policies> = { resources: { a: { extends: "b", kind: "apis" } } };
  String(fixtures);
}
//! wrong(sate): a fixture that changes what is misspelt
{
  const fixtures: TestFixtures<Policies> = { resources: { a: { extends: "b", kind: "api", attr: { sate: "draft" } } } };
  String(fixtures);
}
//! wrong(string): a fixture that changes a number to a text
{
  const fixtures: TestFixtures<Policies> = { accounts: { a: { extends: "b", attr: { usage: { keys: "1" } } } } };
  String(fixtures);
}
//! wrong(apis.delteApi): a case with an operation that is misspelt
{
  const suite: DecisionSuiteDocument<Policies> = { name: "s", cases: [{ name: "c", operation: "apis.delteApi" }] };
  String(suite);
}
//! wrong(quota): a case with a reason that is none
{
  const suite: DecisionSuiteDocument<Policies> = { name: "s", cases: [{ name: "c", reasons: ["quota"] }] };
  String(suite);
}
//! wrong(deny): a case with an outcome that is none
{
  const suite: DecisionSuiteDocument<Policies> = { name: "s", cases: [{ name: "c", expect: "deny" }] };
  String(suite);
}
//! wrong(apis.delteApi): a table with an operation that is misspelt
{
  const table = { "apis.delteApi": { viewer: "allow" } } as const;
  const suite: DecisionSuiteDocument<Policies> = { name: "s", cases: [{ name: "c", table: { ...table } }] };
  const other: DecisionSuiteDocument<Policies> = {
    name: "s",
    cases: [{ name: "c", table: { "apis.delteApi": { viewer: "allow" } } }],
  };
  String([suite, other]);
}
