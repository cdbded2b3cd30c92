/** Each way to ask for a decision equals `decide`, for malformed and unusual requests too. */

import { describe, expect, test } from "vitest";
import { decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { type Decision, decide, decideAll, decideEach, deciderFor } from "../../src/index.js";
import { policy, when } from "../support/compose.js";
import { throwingProxy } from "../support/hostile.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

type Parts = { readonly [name: string]: unknown };

const { key, resource, account, operation } = ask("keys.createKey", {
  roles: ["editor"],
  key: { permissions: ["api.*.create_key"] },
});
const REQUEST: Parts = { key, operation, resource, account };

const NAMES = [undefined, null, 7, "", "x".repeat(4_097)];
const MAPS = [undefined, null, 7, "a", [], [1]];
const SCOPES = [undefined, null, 7, "", "acme"];
const VERSIONS = [undefined, null, 7, "", "default"];
const SUBJECT: Parts = { id: NAMES, attr: MAPS, attributes: MAPS, scope: SCOPES, policyVersion: VERSIONS };

/** An unusual value for each field of each part. */
const FIELDS: { readonly [part: string]: { readonly [field: string]: unknown } } = {
  key: { ...SUBJECT, roles: [undefined, null, "editor", [], [""], [null], ["editor", 7], ["x".repeat(4_097)]] },
  resource: { ...SUBJECT, kind: NAMES },
  account: SUBJECT,
};
const WHOLES: { readonly [part: string]: readonly unknown[] } = {
  key: [undefined, null, 7, [], "key"],
  resource: [undefined, null, 7, [], "api"],
  account: [undefined, null, 7, [], "acc_1"],
  operation: NAMES,
  now: [undefined, null, 7, "2026-01-01", new Date(0), new Date(Number.NaN)],
};

const requests: readonly (readonly [string, Parts])[] = [
  ["as it should be", REQUEST],
  ["refused by the platform", { ...REQUEST, account: { id: "acc_2", attr: {} } }],
  ["not granted", { ...REQUEST, operation: "apis.deleteApi" }],
  ["of an unknown operation", { ...REQUEST, operation: "keys.creatKey" }],
  ["of an unknown kind", { ...REQUEST, resource: { ...Object(resource), kind: "apii" } }],
  ["of unknown roles", { ...REQUEST, key: { ...Object(key), roles: ["nobody"] } }],
  ...Object.entries(WHOLES).flatMap(([part, values]) =>
    values.map((value, i) => [`${part} ${i}`, { ...REQUEST, [part]: value }] as const),
  ),
  ...Object.entries(FIELDS).flatMap(([part, fields]) =>
    Object.entries(fields).flatMap(([field, values]) =>
      [values].flat().map((value, i) => {
        const changed = Object.assign({}, REQUEST[part], { [field]: value });
        return [`${part}.${field} ${i}`, { ...REQUEST, [part]: changed }] as const;
      }),
    ),
  ),
];

/** Calls a library function with arguments of wrong types. */
const calling = (wanted: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown =>
  Reflect.apply(wanted, undefined, given);

const decidersOf = (set: unknown, subjects: unknown): { decide(request: unknown): Decision } => {
  const decider: unknown = calling(deciderFor, set, subjects);
  return { decide: (request) => Reflect.apply(Reflect.get(Object(decider), "decide"), decider, [request]) };
};

const permissionOnly = compiled(
  [
    {
      path: "api.yaml",
      text: policy({
        resource: "api",
        rules: [`name: all, actions: ["*"], roles: [editor], effect: EFFECT_ALLOW, ${when('P.attr.accountId != ""')}`],
      }),
    },
  ],
  { platform: "none" },
);

describe.each([
  ["with both layers", shipped],
  ["permission-only", permissionOnly],
])("%s", (_, set) => {
  const tracer = decisionTracer(set);

  test.each(requests)("%s", (_name, request) => {
    const { key, account, resource, ...rest } = request;
    const expected = calling(decide, set, request);
    const { permission, platform, ...traced } = Reflect.apply(traceDecision, undefined, [tracer, request]);
    expect({ ...traced, permission: permission.verdict, platform: platform.verdict }).toEqual(expected);
    expect(decidersOf(set, { key, account }).decide({ ...rest, resource })).toEqual(expected);
    expect(decidersOf(set, { key }).decide({ ...rest, account, resource })).toEqual(expected);
    // The request's own account overrides the bound one.
    const other = { ...Object(REQUEST.account), id: "another" };
    if (account !== undefined)
      expect(decidersOf(set, { key, account: other }).decide({ ...rest, account, resource })).toEqual(expected);
    const asked = { ...rest, key, account };
    expect(calling(decideAll, set, asked, [resource, resource])).toEqual([expected, expected]);
    const each: unknown = calling(decideEach, set, asked, [resource]);
    expect([...Object(each)]).toEqual([{ resource, decision: expected }]);
  });
});

test.each([
  ["key", "insufficient_permissions", "insufficient_permissions"],
  ["resource", "forbidden", "insufficient_permissions"],
  ["account", "forbidden", "allow"],
  ["operation", "forbidden", "insufficient_permissions"],
  ["now", "forbidden", "insufficient_permissions"],
])("a proxy that refuses to be read, as the %s", (part, both, permission) => {
  const request: Parts = { ...REQUEST, [part]: throwingProxy() };
  for (const [set, outcome] of [[shipped, both] as const, [permissionOnly, permission] as const]) {
    expect(calling(decide, set, request)).toMatchObject({ outcome });
    const { key: _, ...rest } = request;
    expect(decidersOf(set, request).decide(rest)).toMatchObject({ outcome });
    expect(calling(decideAll, set, request, [request.resource])).toMatchObject([{ outcome }]);
    expect([...Object(calling(decideEach, set, request, [request.resource]))]).toMatchObject([
      { decision: { outcome } },
    ]);
  }
});

test("one decider without an account, asked for accounts of which some have a policy of their own", () => {
  const personal = (principal: string, operation: string) => ({
    path: `platform/${principal}.yaml`,
    text: `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: ${principal}
  version: platform
  rules:
    - { resource: "*", actions: [{ action: "${operation}", effect: EFFECT_DENY }] }
`,
  });
  const set = compiled([...shippedFiles, personal("acc_2", "apis.getApi"), personal("acc_closed", "*")]);
  const decider = decidersOf(set, { key: { ...key, attr: { ...key.attr, accountId: "acc_closed" } } });
  for (let round = 0; round < 30; round++) {
    for (const id of ["acc_1", "acc_2", "acc_closed", "acc_1"]) {
      const asked = { operation, account: { ...account, id }, resource };
      const expected = decide(set, { ...asked, key: { ...key, attr: { ...key.attr, accountId: "acc_closed" } } });
      expect(decider.decide(asked)).toEqual(expected);
    }
  }
  const own = { ...resource, attr: { ...resource.attr, accountId: "acc_closed" } };
  const reasons = ["acc_closed", "acc_1"].map((id) => {
    const { platform } = decider.decide({ operation, account: { ...account, id }, resource: own });
    return platform.reasons[0]?.policy;
  });
  expect(reasons[0]).toContain("principal.acc_closed");
  expect(reasons[1]).not.toContain("principal");
});

test("one decider, asked about operations, kinds, scopes and rows in turn", () => {
  const decider = decidersOf(shipped, { key, account });
  for (let round = 0; round < 3; round++) {
    for (const name of [...Object.keys(KINDS), "nothing"]) {
      for (const changes of [{}, { state: "suspended" }, { accountId: "acc_2" }]) {
        const { operation, resource } = ask(name, { resource: changes });
        for (const other of [resource, { ...resource, scope: "acme" }, { ...resource, kind: "apii" }]) {
          const expected = decide(shipped, { key, account, operation, resource: other });
          expect(decider.decide({ operation, resource: other })).toEqual(expected);
        }
      }
    }
  }
});

test("one decider, asked about more kinds than it remembers", () => {
  const decider = decidersOf(permissionOnly, { key });
  for (let i = 0; i < 600; i++) {
    const other = { ...resource, kind: i % 7 === 0 ? "api" : `kind_${i}` };
    expect(decider.decide({ operation, resource: other }).outcome).toBe(
      i % 7 === 0 ? "allow" : "insufficient_permissions",
    );
  }
});

test("a list of resources that is none is denied as a whole, and says so", () => {
  for (const list of [undefined, null, 7, { 0: resource, length: 1 }, throwingProxy()]) {
    const decisions: unknown = calling(decideAll, shipped, { key, operation, account }, list);
    const message = "invalid request: resources must be a list";
    expect(decisions).toMatchObject([
      { outcome: "forbidden", fault: { kind: "invalid_request", path: "resources", message } },
    ]);
  }
});

test("holes of a list are no resources", () => {
  const list = [resource];
  list[2] = resource;
  const outcomes = decideAll(shipped, { key, operation, account }, list).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["allow", "forbidden", "allow"]);
});

/** Builds requests that each have a key of their own from a request without a key. */
const KEYED: readonly (readonly [string, (rest: Parts) => unknown])[] = [
  ["another key", (rest) => ({ ...rest, key: { id: "key_2", roles: ["admin"], attr: {} } })],
  ["the same key", (rest) => ({ ...rest, key })],
  ["null", (rest) => ({ ...rest, key: null })],
  ["a text", (rest) => ({ ...rest, key: "key_1" })],
  ["a proxy that refuses to be read", (rest) => ({ ...rest, key: throwingProxy() })],
  ["a key in an object without a prototype", (rest) => Object.assign(Object.create(null), rest, { key })],
  ["a key in an instance of a class", (rest) => Object.assign(new (class Request {})(), rest, { key })],
];

const SETS = [
  ["generated functions", shipped, "insufficient_permissions"],
  ["a permission-only set", permissionOnly, "insufficient_permissions"],
  ["closures", compiled(shippedFiles, { codegen: false }), "insufficient_permissions"],
  ["enforced schemas", compiled(shippedFiles, { schemaEnforcement: "reject" }), "insufficient_permissions"],
] as const;

describe.each(SETS)("a key of the request's own is a fault to a decider: %s", (_, set, outcome) => {
  const fault = { kind: "invalid_request", path: "key", message: expect.stringContaining("key must be absent") };
  const rest: Parts = { operation, resource };

  test.each(KEYED)("%s", (_name, keyed) => {
    for (const [subjects, asked] of [
      [{ key, account }, rest],
      [{ key }, { ...rest, account }],
    ] as const) {
      const decider = decidersOf(set, subjects);
      for (let i = 0; i < 40; i++) {
        const decision = decider.decide(keyed(asked));
        expect(decision).toMatchObject({ outcome, fault, permission: { effect: "deny", fault } });
        expect(decider.decide(asked)).toEqual(calling(decide, set, { ...rest, key, account }));
        expect(decision.platform).toEqual(decider.decide(asked).platform);
      }
    }
  });

  test("one that is undefined, or inherited, is none", () => {
    const decider = decidersOf(set, { key, account });
    const expected = calling(decide, set, { ...rest, key, account });
    expect(decider.decide({ ...rest, key: undefined })).toEqual(expected);
    expect(decider.decide(Object.assign(Object.create({ key: null }), rest))).toEqual(expected);
  });
});

test("what the platform forbids is forbidden, and the key is a fault all the same", () => {
  const suspended = { ...account, attr: { ...account.attr, status: "suspended" } };
  const decider = decidersOf(shipped, { key, account: suspended });
  expect(decider.decide({ operation, resource, key })).toMatchObject({ outcome: "forbidden", fault: { path: "key" } });
});
