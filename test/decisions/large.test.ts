/**
 * Requests of unrealistic size: refused or answered, with a bounded amount of work.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { type Decision, type DecisionRequest, decide, type Outcome, type PolicySet } from "../../src/index.js";
import { compiled, shipped } from "../support/policies.js";
import { ask, type Changes, KINDS } from "../support/requests.js";
import { callsOf, countThroughout, watched } from "../support/work.js";

countThroughout();

/** The number of elements or members in the large part of a request. */
const MANY = 100_000;
/** The most reads of members and elements; the shipped policies read a list twice at most. */
const MOST_READ = 4 * MANY;
/** The most function calls, including those for each element. The test runner adds one for each use of an import. */
const MOST_CALLS = 12 * MANY;

/** Decides, and expects work that grows at most linearly with the request. */
function decided(policies: PolicySet, request: DecisionRequest): Decision {
  let read = 0;
  const seen = decide(
    policies,
    watched(request, () => void read++),
  );
  let decision = seen;
  const calls = callsOf(() => {
    decision = decide(policies, request);
  });
  expect(decision).toEqual(seen);
  expect(read, "readings").toBeLessThan(MOST_READ);
  expect(calls, "calls").toBeLessThan(MOST_CALLS);
  return decision;
}

function expectBounded(request: unknown, outcomes: readonly Outcome[]): void {
  const { outcome } = decided(shipped, Object.assign(ask("keys.createKey"), request));
  expect(outcomes).toContain(outcome);
}

const many = (n: number, make: (i: number) => string) => Array.from({ length: n }, (_, i) => make(i));
const LONG = "x".repeat(10 * 1024 * 1024);

function nested(depth: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let value: JsonValue = "end";
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}

const DEEP_LIST = nested(MANY, (inner) => [inner]);
const DEEP_MAP = nested(MANY, (inner) => ({ a: inner }));

describe("100,000 permissions", () => {
  const permissions = many(MANY, (i) => `api.api_${i + 1_000}.create_key`);
  const custom = (list: readonly JsonValue[]): Changes => ({ roles: ["custom"], key: { permissions: list } });

  test("without the one that is needed", () => {
    expectBounded(ask("keys.createKey", custom(permissions)), ["insufficient_permissions"]);
  });

  test("the last of which is the one that is needed: found, or too many to look at", () => {
    const outcomes = ["allow", "insufficient_permissions"] as const;
    expectBounded(ask("keys.createKey", custom([...permissions, "api.api_1.create_key"])), outcomes);
  });

  test("a quarter as many that are no texts", () => {
    for (const item of [null, 1, {}, [], [["api.*.create_key"]]]) {
      // Lists in a list count as values, too: half as many of them would be more than a request may have.
      const list = new Array(MANY / 4).fill(item);
      expectBounded(ask("keys.createKey", custom(list)), ["insufficient_permissions"]);
    }
  });

  test("and as many workspaces, in every operation", () => {
    const workspaceIds = many(MANY, (i) => `ws_${i + 1_000}`);
    for (const operation of Object.keys(KINDS)) {
      expectBounded(ask(operation, { key: { workspaceIds, permissions } }), ["insufficient_permissions"]);
    }
  });
});

describe("100,000 roles", () => {
  test("that give nothing", () => {
    const roles = many(MANY, (i) => `role_${i}`);
    expectBounded(ask("apis.deleteApi", { roles }), ["insufficient_permissions"]);
  });

  test("the last of which is admin", () => {
    const roles = [...many(MANY, (i) => `role_${i}`), "admin"];
    expectBounded(ask("apis.deleteApi", { roles }), ["allow", "insufficient_permissions"]);
  });

  test("that are one role", () => {
    expectBounded(ask("apis.deleteApi", { roles: new Array(MANY).fill("editor") }), ["insufficient_permissions"]);
  });
});

describe("texts of 10 MB", () => {
  test.each(["accountId", "environment"])("as %s of the key", (name) => {
    expectBounded(ask("keys.createKey", { key: { [name]: LONG } }), ["insufficient_permissions"]);
  });

  test.each(["accountId", "workspaceId", "environment", "apiId"])("as %s of the key and of the resource", (name) => {
    const outcomes = ["allow", "forbidden", "insufficient_permissions"] as const;
    const keyed = name === "workspaceId" ? { workspaceIds: [LONG] } : { [name]: LONG };
    expectBounded(ask("keys.updateKey", { key: keyed, resource: { [name]: LONG } }), outcomes);
  });

  test.each(["state", "system"])("as %s of the resource", (name) => {
    expectBounded(ask("keys.createKey", { resource: { [name]: LONG } }), ["forbidden"]);
  });

  test("as a permission, and as an attribute that no policy reads", () => {
    const permissions = [LONG, `api.${LONG}.create_key`];
    expectBounded(ask("keys.createKey", { roles: ["custom"], key: { permissions } }), ["insufficient_permissions"]);
    expectBounded(ask("keys.createKey", { key: { note: LONG } }), ["allow"]);
  });

  test("as an id, a role, a kind and an operation: no name is so long", () => {
    const request = ask("keys.createKey");
    expectBounded({ ...request, key: { ...request.key, id: LONG } }, ["insufficient_permissions"]);
    expectBounded({ ...request, key: { ...request.key, roles: [LONG] } }, ["insufficient_permissions"]);
    expectBounded({ ...request, resource: { ...request.resource, id: LONG } }, ["forbidden"]);
    expectBounded({ ...request, resource: { ...request.resource, kind: LONG } }, ["forbidden"]);
    expectBounded({ ...request, account: { ...request.account, id: LONG } }, ["forbidden"]);
    expectBounded({ ...request, operation: LONG }, ["forbidden"]);
  });
});

describe("values nested 100,000 deep", () => {
  test.each([
    ["lists", DEEP_LIST],
    ["maps", DEEP_MAP],
  ])("%s, in an attribute that no policy reads", (_, deep) => {
    const request = ask("keys.createKey");
    expectBounded({ ...request, key: { ...request.key, attr: { ...request.key.attr, note: deep } } }, ["allow"]);
  });

  test.each([
    ["lists", DEEP_LIST],
    ["maps", DEEP_MAP],
  ])("%s, in every attribute that policies read", (_, deep) => {
    for (const operation of ["apis.deleteApi", "keys.createKey", "keys.updateKey", "apis.createApi"]) {
      const request = ask(operation);
      for (const part of ["key", "resource", "account"] as const) {
        const names = Object.keys(request[part].attr);
        // (`permissions` is left out because a list is the right type for it, and an admin needs no entry.)
        const read = names.filter((name) => name !== "permissions" && refusedWith(operation, part, name, "wrong"));
        for (const name of read) {
          const attr = { ...request[part].attr, [name]: deep };
          expectBounded({ ...request, [part]: { ...request[part], attr } }, ["forbidden", "insufficient_permissions"]);
        }
        const all = Object.fromEntries(names.map((name) => [name, deep]));
        expectBounded({ ...request, [part]: { ...request[part], attr: all } }, [
          "forbidden",
          "insufficient_permissions",
        ]);
      }
    }
  });

  test("on both sides of a comparison", () => {
    const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: api
  version: VERSION
  rules:
    - name: same
      actions: [read]
      roles: ["*"]
      effect: EFFECT_ALLOW
      condition:
        match:
          any: {of: [{expr: P.attr.a == R.attr.a}, {expr: "R.attr.a in [P.attr.a]"}, {expr: "P.attr.a != R.attr.a"}]}
`;
    const policies = compiled(
      ["default", "platform"].map((version) => ({ path: `${version}.yaml`, text: text.replace("VERSION", version) })),
    );
    for (const [a, b] of [
      [DEEP_LIST, nested(MANY, (inner) => [inner])],
      [DEEP_MAP, nested(MANY, (inner) => ({ a: inner }))],
    ]) {
      const request = ask("read");
      Object.assign(request.key.attr, { a });
      Object.assign(request.account.attr, { a });
      Object.assign(request.resource.attr, { a: b });
      const { outcome, platform } = decided(policies, request);
      expect([outcome, platform.reasons[0]?.kind]).toEqual(["forbidden", "error"]);
    }
  });
});

/** Whether the attribute matters: a wrong value is refused. */
function refusedWith(operation: string, part: "key" | "resource" | "account", name: string, value: string): boolean {
  return decide(shipped, ask(operation, { [part]: { [name]: value } })).outcome !== "allow";
}

describe("100,000 attributes", () => {
  test("that no policy reads", () => {
    const attributes = Object.fromEntries(many(MANY, (i) => `a${i}`).map((name) => [name, 1]));
    const request = ask("keys.createKey");
    const attr = { ...request.key.attr, ...attributes };
    expectBounded(
      {
        ...request,
        key: { ...request.key, attr },
        account: { ...request.account, attr: { ...request.account.attr, ...attributes } },
      },
      ["allow"],
    );
  });

  test("in place of a value", () => {
    const attributes = Object.fromEntries(many(MANY, (i) => `a${i}`).map((name) => [name, 1]));
    expectBounded(ask("keys.createKey", { account: { holds: attributes } }), ["forbidden"]);
    expectBounded(ask("keys.createKey", { account: { limits: attributes } }), ["forbidden"]);
    expectBounded(ask("keys.createKey", { key: { workspaceIds: attributes } }), ["insufficient_permissions"]);
  });
});
