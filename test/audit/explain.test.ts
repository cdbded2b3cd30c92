/** Explanations: their content, and that each suggested edit does change the outcome. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestEdit } from "../../src/audit/explain/edits.js";
import { explain, explanationText } from "../../src/audit/index.js";
import { type DecisionRequest, decide } from "../../src/index.js";
import { policySet, request, shippedRequest } from "../property/arbitraries/index.js";
import { permissions } from "../support/compose.js";
import { HOSTILE_KEYS, throwingProxy } from "../support/hostile.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

/** The request, edited. */
function edited(original: DecisionRequest, edits: readonly RequestEdit[]): DecisionRequest {
  const copy = structuredClone(original);
  for (const { action, path, value } of edits) {
    const fields = path.split(".");
    const last = fields.pop() ?? "";
    let holder = copy as unknown as Record<string, unknown>;
    for (const field of fields) {
      // Replaces a value without fields by one that can have them.
      if (typeof holder[field] !== "object" || Array.isArray(holder[field])) holder[field] = {};
      holder[field] ??= {};
      holder = holder[field] as Record<string, unknown>;
    }
    const list = (holder[last] ?? []) as unknown[];
    if (action === "unset") delete holder[last];
    else if (action === "set") holder[last] = value;
    else if (action === "add") holder[last] = [...list, value];
    else {
      const at = list.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
      expect(at).toBeGreaterThanOrEqual(0);
      holder[last] = list.toSpliced(at, 1);
    }
  }
  return copy;
}

function alternatives(one: DecisionRequest): string[] {
  const found = explain(shipped, one).alternatives?.found ?? [];
  return found.map(({ edits, outcome }) =>
    [`${outcome}:`, ...edits.map(({ action, path, value }) => `${action} ${path} ${JSON.stringify(value)}`)].join(" "),
  );
}

describe("what would have to change", () => {
  test("a missing permission: the roles that give it, and each tuple", () => {
    expect(alternatives(ask("apis.deleteApi", { roles: ["viewer"] }))).toEqual([
      'allow: add key.roles "admin"',
      'allow: add key.attr.permissions "api.*.delete_api"',
      expect.stringMatching(/^allow: add key\.attr\.permissions "api\.api_\w+\.delete_api"$/),
    ]);
  });

  test("a state in the way", () => {
    expect(alternatives(ask("apis.updateApi", { resource: { state: "suspended" } }))).toEqual([
      'allow: set resource.attr.state "draft"',
      'allow: set resource.attr.state "active"',
    ]);
    expect(alternatives(ask("apis.deleteApi", { resource: { system: true } }))).toEqual([
      "allow: set resource.attr.system false",
    ]);
  });

  test("a quota: the nearest number on each side", () => {
    const full = ask("keys.createKey", { account: { limits: { apis: 9, keys: 20 }, usage: { apis: 1, keys: 20 } } });
    expect(alternatives(full)).toEqual([
      "allow: set account.attr.limits.keys 21",
      "allow: set account.attr.usage.keys 19",
    ]);
  });

  test("several prohibitions at once, and a permission that is missing behind them", () => {
    const found = alternatives(
      ask("apis.deleteApi", {
        roles: ["viewer"],
        resource: { system: true, keyCount: 2 },
        account: { holds: ["abuse"] },
      }),
    );
    expect(found[0]).toMatch(/^insufficient_permissions: /);
    expect(found[0]?.match(/ (set|remove) /g)).toHaveLength(3);
    expect(found.filter((one) => one.startsWith("allow: "))).toHaveLength(3);
  });

  test("a list that must be empty: any element", () => {
    const one = ask("apis.updateApi");
    expect(alternatives(one)).toContain('forbidden: add account.attr.holds "holds_1"');
    expect(explanationText(explain(shipped, one))).toContain(
      '- another element, for example "holds_1", added to account.attr.holds\n',
    );
  });

  test("a key with 50,000 permissions: the search ends, and the first edits are tried", () => {
    const permissions = Array.from({ length: 50_000 }, (_, i) => `api.other_${i}.read_key`);
    expect(alternatives(ask("apis.deleteApi", { roles: ["custom"], key: { permissions } }))).toContain(
      'allow: add key.roles "admin"',
    );
    expect(alternatives(ask("apis.deleteApi", { key: { permissions } }))).toContain(
      "forbidden: set resource.attr.system true",
    );
  });

  test("a search that ends early says so", () => {
    const permissions = Array.from({ length: 50_000 }, (_, i) => `api.other_${i}.read_key`);
    const refused = explain(shipped, ask("apis.deleteApi", { roles: ["custom"], key: { permissions } }));
    expect([refused.alternatives?.isComplete, explanationText(refused)]).toEqual([
      false,
      expect.stringContaining("not every single change was tried"),
    ]);
    expect(explain(shipped, ask("apis.deleteApi", { key: { permissions } })).alternatives?.isComplete).toBe(false);
    expect(explain(shipped, ask("apis.deleteApi")).alternatives?.isComplete).toBe(true);
  });

  test("an operation that nothing supports: nothing would help", () => {
    const one = { ...ask("apis.getApi"), operation: "apis.nothing" };
    expect(alternatives(one)).toEqual([]);
    expect(explanationText(explain(shipped, one))).toContain("No change to the request was found");
  });

  test("whatever is offered changes the outcome as it says, and none of it can be left out", { tags: "long" }, () => {
    let offered = 0;
    const check = (policies: typeof shipped, one: DecisionRequest) => {
      const { outcome, alternatives: found } = explain(policies, one);
      expect(outcome).toBe(decide(policies, one).outcome);
      for (const { edits, outcome: next } of found?.found ?? []) {
        offered++;
        expect(next).not.toBe(outcome);
        expect(decide(policies, edited(one, edits)).outcome).toBe(next);
        for (const edit of edits.length > 1 ? edits : []) {
          const fewer = edits.filter((other) => other !== edit);
          expect(decide(policies, edited(one, fewer)).outcome).not.toBe(next);
        }
      }
    };
    fc.assert(
      fc.property(shippedRequest(), (one) => check(shipped, one)),
      { numRuns: sized(150), endOnFailure: true },
    );
    expect(offered).toBeGreaterThan(sized(300));
    const cases = policySet({ profile: "any" }).chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 4, maxLength: 4 })),
    );
    fc.assert(
      fc.property(cases, ([documents, requests]) => {
        const policies = compiledDocuments(documents);
        for (const one of requests) check(policies, one);
      }),
      { numRuns: sized(25), endOnFailure: true },
    );
  });
});

describe("the account", () => {
  test("rules in their order, conditions with the values of their parts, and the rule that decided", () => {
    const text = explanationText(explain(shipped, ask("apis.deleteApi", { resource: { keyCount: 3 } })));
    expect(text).toMatch(/^forbidden: key \w+, operation apis\.deleteApi, api \w+\nThe platform prohibits it/);
    expect(text).toMatch(/out_of_sequence \(denies\): applies for account {2}platform\/api\.yaml:\d+ {2}<- decides/);
    expect(text).toMatch(/false {2}R\.attr\.keyCount == 0\n +R\.attr\.keyCount = 3\n/);
    expect(text.indexOf("system_resource")).toBeLessThan(text.indexOf("delete_protected"));
    expect(text).toContain("- quota_exceeded: for other operations");
    expect(text).toContain("- resource.attr.keyCount = 0");
  });

  test("which attribute was missing", () => {
    const one = ask("apis.deleteApi");
    const { limits: _, ...account } = one.account.attr as Record<string, never>;
    const createKey = { ...one, operation: "keys.createKey", account: { ...one.account, attr: account } };
    const { platform } = explain(shipped, createKey);
    const rule = platform.policies[0]?.rules.find(({ name }) => name === "quota_exceeded");
    expect(rule?.state).toBe("error");
    expect(explanationText(explain(shipped, createKey))).toContain("P.attr.limits.keys  <- P.attr.limits is missing");
  });

  test("derived roles", () => {
    const policies = permissions({
      "roles.yaml": `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: of_docs
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`,
      "doc.yaml": `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [of_docs]
  rules:
    - {name: own, actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW}
`,
    });
    const one = (owner: string, role = "user") =>
      explain(policies, {
        key: { id: "u1", roles: [role], attr: {} },
        operation: "read",
        resource: { kind: "doc", id: "d1", attr: { owner } },
        account: { id: "a" },
      });
    const text = explanationText(one("u2"));
    expect(text).toContain("derived role owner: inactive");
    expect(text).toMatch(/R\.attr\.owner = "u2"\n +P\.id = "u1"/);
    expect(one("u2").alternatives?.found[0]).toMatchObject({
      outcome: "allow",
      edits: [{ path: "key.id", value: "u2" }],
    });
    expect(explanationText(one("u1", "guest"))).toContain("the key has none of its parent roles user");
    expect(one("u1").outcome).toBe("allow");
  });

  test("long values are cut short, and nothing of them reaches the terminal raw", () => {
    const one = ask("apis.deleteApi", {
      roles: ["viewer"],
      key: { permissions: [`\u001b[31m${"x".repeat(10_000)}\u202e`] },
    });
    const explanation = explain(shipped, one);
    const text = explanationText(explanation);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cf}\p{Cc}]/u);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(600);
    expect(JSON.stringify(explanation.permission).length).toBeLessThan(100_000);
  });

  test("the same explanation, whenever it is asked for; the request is left as it was", () => {
    const one = ask("apis.deleteApi", { resource: { keyCount: 3 } });
    const before = structuredClone(one);
    const first = explain(shipped, one);
    expect(explain(shipped, one)).toEqual(first);
    expect(one).toEqual(before);
    expect(JSON.parse(JSON.stringify(first))).toEqual(JSON.parse(JSON.stringify(explain(shipped, one))));
  });
});

describe("what is no request", () => {
  test.each(HOSTILE_KEYS.map((make, i) => [i, make] as const))("key %i", (_, make) => {
    const one = { ...ask("apis.deleteApi"), key: make() } as DecisionRequest;
    const explanation = explain(shipped, one);
    expect(explanation.outcome).toBe(decide(shipped, { ...one, key: make() } as DecisionRequest).outcome);
    expect(explanationText(explanation)).toContain(explanation.outcome);
  });

  test("anything", () => {
    for (const one of [undefined, null, 1, {}, [], throwingProxy(), { key: throwingProxy() }]) {
      const explanation = explain(shipped, one as unknown as DecisionRequest);
      expect(explanation.outcome).toBe("forbidden");
      expect(explanationText(explanation)).toContain("But the request is malformed (invalid_request): invalid request");
    }
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i++) deep = { deep };
    const one = ask("apis.deleteApi");
    expect(explain(shipped, { ...one, key: { ...one.key, attr: { ...one.key.attr, deep } } } as never).outcome).toBe(
      "allow",
    );
  });
});
