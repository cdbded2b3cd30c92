/** The five theorems of `src/decisions/decide.ts`, on the shipped policies. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Decision, decide } from "../../src/index.js";
import { unordered } from "../reference/comparable.js";
import { hostileAccount, hostileKey } from "../support/hostile.js";
import { expectFailsClosed } from "../support/laws.js";
import { compiledDocuments, shipped, shippedDocuments } from "../support/policies.js";
import { ask, type Changes, KINDS } from "../support/requests.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import { withoutEachRule } from "../support/without-rule.js";
import {
  type Damage,
  damagedRequest,
  type PlainRequest,
  permuted,
  permutedRequest,
  shippedRequest,
  wrongTwice,
} from "./arbitraries/index.js";

const REQUESTS = sized(1_000, 40);
const others = fc.array(shippedRequest(), { minLength: 8, maxLength: 8 });

const tally = new Tally();

function sample(one: PlainRequest): Decision {
  const decision = decide(shipped, one);
  tally.sample(decision);
  return decision;
}

/** A decision on a variant of a counted request. */
function variant(one: PlainRequest): Decision {
  tally.made();
  return decide(shipped, one);
}

test("1. key swap: no key changes what the platform says, and what is forbidden is forbidden for every key", () => {
  const hostile = fc.array(hostileKey, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(shippedRequest(), others, hostile, (one, requests, makers) => {
      const { outcome, platform } = sample(one);
      for (const key of [...requests.map((other) => other.key), ...makers.map((make) => make())]) {
        const other = variant(Object.assign({ ...one }, { key }));
        if (!isDeepStrictEqual(other.platform, platform)) expect(other.platform).toEqual(platform);
        expect(other.outcome === "forbidden").toBe(outcome === "forbidden");
      }
    }),
    { numRuns: REQUESTS },
  );
});

test("2. account swap: no account changes what the permission layer says", () => {
  const hostile = fc.array(hostileAccount, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(shippedRequest(), others, hostile, (one, requests, makers) => {
      const { permission } = sample(one);
      for (const account of [...requests.map((other) => other.account), ...makers.map((make) => make())]) {
        const other = variant(Object.assign({ ...one }, { account }));
        if (!isDeepStrictEqual(other.permission, permission)) expect(other.permission).toEqual(permission);
      }
    }),
    { numRuns: REQUESTS },
  );
});

describe("3. fail closed", () => {
  function expectClosed(requests: fc.Arbitrary<PlainRequest>, damage: Damage, numRuns: number): void {
    const cases = requests.chain((one) =>
      fc.tuple(fc.constant(one), fc.array(damagedRequest(one, damage), { minLength: 4, maxLength: 4 })),
    );
    fc.assert(
      fc.property(cases, ([one, variants]) => {
        const before = decide(shipped, one);
        for (const { request, what } of variants) expectFailsClosed(before, variant(request), what);
      }),
      { numRuns },
    );
  }

  test.each<[string, Damage]>([
    ["removing attributes", "removed"],
    ["giving attributes values of other types", "retyped"],
    ["doing both", "either"],
  ])("%s never turns a refusal into allow, in the decision or in a layer", (_, damage) => {
    expectClosed(shippedRequest(), damage, REQUESTS);
  });

  test("nor does writing numbers as text, whose order is another", () => {
    const counted = shippedRequest({ operations: ["apis.createApi", "keys.createKey", "apis.deleteApi"] });
    expectClosed(counted, "numeric strings", 5 * REQUESTS);
  });

  // One request for each reason to refuse, in both layers.
  const refusals: readonly Changes[] = [
    { roles: ["custom"] },
    { key: { workspaceIds: ["ws_2"] } },
    { key: { environment: "development" } },
    { key: { accountId: "acc_2" } },
    { resource: { system: true } },
    { resource: { state: "suspended" } },
    { account: { usage: { apis: 10, keys: 100 } } },
    { account: { holds: ["abuse"] } },
    { account: { status: "suspended" } },
    { account: { plan: "free" } },
    { accountId: "acc_2" },
    { resource: { state: "draft", keyCount: 1, deleteProtection: true } },
  ];

  test.each(Object.keys(KINDS))(
    "nor does one wrong value in two places, which would make them equal: %s",
    { tags: "long" },
    (operation) => {
      for (const changes of refusals) {
        const one = ask(operation, changes);
        const before = decide(shipped, one);
        if (before.outcome === "allow") continue;
        for (const { request, what } of wrongTwice(one)) {
          tally.made();
          const after = decide(shipped, request);
          const opened = (["permission", "platform"] as const).some(
            (layer) => before[layer].effect === "deny" && after[layer].effect === "allow",
          );
          if (opened) expectFailsClosed(before, after, what);
        }
      }
    },
  );
});

test("4. order: that of files, rules, roles and permissions changes nothing but the order of reasons", () => {
  const sets = permuted(shippedDocuments).map(compiledDocuments);
  const cases = fc.array(
    shippedRequest().chain((one) => fc.tuple(fc.constant(one), permutedRequest(one))),
    { minLength: 100, maxLength: 100 },
  );
  fc.assert(
    fc.property(sets, cases, (policies, pairs) => {
      for (const [one, other] of pairs) {
        tally.made();
        expect(unordered(decide(policies, other))).toEqual(unordered(sample(one)));
      }
    }),
    { numRuns: sized(20, 1) },
  );
});

test("5. reduction: taking roles and permissions away from a key never adds an allow", () => {
  const cases = shippedRequest().chain((one) =>
    fc.record({
      one: fc.constant(one),
      roles: fc.subarray([...one.key.roles, "custom"], { minLength: 1 }),
      permissions: fc.subarray(textsIn(one.key.attr.permissions)),
      workspaceIds: fc.subarray(textsIn(one.key.attr.workspaceIds)),
    }),
  );
  fc.assert(
    fc.property(cases, ({ one, roles, permissions, workspaceIds }) => {
      const attr = { ...one.key.attr, permissions, workspaceIds };
      const reduced = variant({ ...one, key: { ...one.key, roles, attr } });
      expectFailsClosed(sample(one), reduced, JSON.stringify({ roles, permissions, workspaceIds }));
    }),
    { numRuns: 2 * REQUESTS },
  );
});

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

test("every shipped rule is decisive: without it some outcome is another", { tags: "long" }, () => {
  const undecided = new Map(withoutEachRule(shippedDocuments));
  for (const one of fc.sample(shippedRequest(), 6_000)) {
    const { outcome, permission, platform } = sample(one);
    for (const { policy, rule } of [...permission.reasons, ...platform.reasons]) {
      const without = undecided.get(`${policy}#${rule}`);
      if (without === undefined) continue;
      tally.made();
      if (decide(without(), one).outcome !== outcome) undecided.delete(`${policy}#${rule}`);
    }
  }
  expect([...undecided.keys()]).toEqual([]);
});

test("these were 20,000 decisions or more in a long run, of every outcome", () => {
  say(`laws on the shipped policies: ${tally}`);
  tally.expectCoverage({ decisions: sized(20_000, 1_000), errors: 0 });
});
