/**
 * Law 8, delegated keys: a chain never allows what one of its links does not, and a key that covers another may do
 * everything that the other may. On the shipped policies, on a set with a tightened rule, and on generated sets.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers, type DecisionRequest, decide, decideChain, type PolicySet } from "../../src/index.js";
import { compiled, compiledDocuments, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { type PlainRequest, type Profile, policySet, request, shippedRequest } from "./arbitraries/index.js";

type Key = PlainRequest["key"];

const tightened = compiled(
  shippedFiles.map(({ path, text }) => ({
    path,
    text: text.replace(
      'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
      'V.in_reach && R.attr.state == "draft" && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
    ),
  })),
);

interface Counts {
  pairs: number;
  covered: number;
  shown: number;
  undecided: number;
  requests: number;
}

const counted = (): Counts => ({ pairs: 0, covered: 0, shown: 0, undecided: 0, requests: 0 });

/** Checks the answer for two keys against decisions on `requests`. */
function check(set: PolicySet, maker: Key, holder: Key, requests: readonly PlainRequest[], counts: Counts): void {
  const found = covers(set, { maker, holder });
  const may = (key: Key, one: Omit<DecisionRequest, "key">) =>
    decide(set, { ...one, key }).permission.effect === "allow";
  counts.pairs += 1;
  if (found.covered) {
    counts.covered += 1;
    for (const one of requests) {
      counts.requests += 1;
      // Operations of a key on itself need no maker.
      const own = (id: string) => may({ ...maker, id }, { ...one, resource: { ...one.resource, id } });
      const isOwn = one.resource.id === holder.id && own(holder.id) && own(maker.id);
      if (may(holder, one) && !may(maker, one) && !isOwn) expect.fail(JSON.stringify({ maker, holder, one }));
    }
  } else if (found.request === undefined) counts.undecided += 1;
  else {
    counts.shown += 1;
    const one = { ...found.request, account: { id: "any", attr: {} } };
    expect([may(holder, one), may(maker, one)]).toEqual([true, false]);
  }
}

/** Keys of the worked example, close enough to cover each other. */
const key = (id: string): fc.Arbitrary<Key> =>
  fc
    .record({
      roles: fc.oneof(
        { weight: 3, arbitrary: fc.constant(["custom"]) },
        { weight: 2, arbitrary: fc.subarray(["viewer", "editor", "admin", "custom"], { minLength: 1 }) },
      ),
      permissions: fc.uniqueArray(permission, { maxLength: 6 }),
      workspaceIds: fc.constantFrom(["*"], ["*"], ["ws_1"], ["ws_1", "ws_2"], []),
      environment: fc.constantFrom("production", "production", "production", "development"),
      accountId: fc.constantFrom("acc_1", "acc_1", "acc_1", "acc_1", "acc_2"),
    })
    .map(({ roles, ...attr }) => ({ id, roles, attr }));

const ids = { api: ["*", "api_1", "api_2"], key: ["*", "key_1", "holder"], workspace: ["*", "ws_1"] };
const names = {
  api: ["read_api", "read_key", "create_key", "update_api", "update_key", "delete_api", "delete_key", "create_api"],
  key: ["read_key", "update_key", "delete_key", "verify_key"],
  workspace: ["create_api", "create_workspace", "read_api"],
};
const permission = fc
  .constantFrom("api" as const, "key" as const, "workspace" as const)
  .chain((type) => fc.tuple(fc.constant(type), fc.constantFrom(...ids[type]), fc.constantFrom(...names[type])))
  .map((parts) => parts.join("."));

/** A key, and one that has some of its permissions, or any others. */
const pair = fc
  .tuple(key("maker"), key("holder"), fc.subarray([0, 1, 2, 3, 4, 5]), fc.nat(3))
  .map(([maker, other, kept, how]) => {
    if (how === 0) return { maker, holder: other };
    const { permissions } = maker.attr;
    const held = Array.isArray(permissions) ? permissions.filter((_, at) => kept.includes(at)) : [];
    const attr = { ...maker.attr, permissions: held, ...(how === 1 ? { workspaceIds: ["ws_1"] } : {}) };
    return { maker, holder: { id: "holder", roles: how === 3 ? maker.roles : ["custom"], attr } };
  });

/** Requests for which these keys can have different answers. */
const places = ["ws_1", "ws_9"].flatMap((workspaceId) => ["draft", "active"].map((state) => ({ workspaceId, state })));
const around: readonly PlainRequest[] = ["production", "development"].flatMap((environment) =>
  ["acc_1", "acc_2"].flatMap((accountId) =>
    places.flatMap((place) => {
      const resource = { ...place, environment, accountId };
      const onApis = ["api_1", "api_9"].flatMap((resourceId) =>
        Object.keys(KINDS).flatMap((name) => (KINDS[name] === "api" ? [ask(name, { resource, resourceId })] : [])),
      );
      const onKeys = ["key_1", "key_9", "holder"].flatMap((resourceId) =>
        ["keys.getKey", "keys.updateKey", "keys.deleteKey"].flatMap((name) =>
          ["api_1", "api_9"].map((apiId) => ask(name, { resource: { ...resource, apiId }, resourceId })),
        ),
      );
      const revoking = onKeys.map((one) => ({ ...one, operation: "keys.revokeKey" }));
      return [...onApis, ...onKeys, ...revoking];
    }),
  ),
);

describe.each([
  ["the shipped policies", shipped],
  ["a set with a tightened rule", tightened],
])("%s", (what, set) => {
  // The whole sample takes minutes.
  test("a key that covers another may do everything that the other may", { timeout: 3_600_000 }, () => {
    const counts = counted();
    fc.assert(
      fc.property(pair, ({ maker, holder }) => check(set, maker, holder, around, counts)),
      { numRuns: sized(45_000, 40) },
    );
    say(`${what}: ${JSON.stringify(counts)}`);
    expect(counts.undecided).toBe(0);
    expect(counts.covered).toBeGreaterThan(counts.pairs / 10);
    expect(counts.shown).toBeGreaterThan(counts.pairs / 10);
  });
});

test("the same for generated requests, and their chains", () => {
  const counts = counted();
  fc.assert(
    fc.property(fc.array(shippedRequest(), { minLength: 4, maxLength: 4 }), (requests) => {
      const [one] = requests;
      if (one === undefined) return;
      for (const other of requests) check(shipped, other.key, one.key, requests, counts);
      expectChain(shipped, requests);
    }),
    { numRuns: sized(1_000, 20) },
  );
  say(`generated requests: ${JSON.stringify(counts)}`);
});

function expectChain(set: PolicySet, requests: readonly PlainRequest[]): void {
  for (const one of requests) {
    const links = requests.map((other) => other.key);
    const outcomes = links.map((link) => decide(set, { ...one, key: link }).outcome);
    const { key: _, ...target } = one;
    const expected = ["forbidden", "insufficient_permissions"].find((outcome) =>
      outcomes.some((each) => each === outcome),
    );
    expect(decideChain(set, links, target).outcome).toBe(expected ?? "allow");
    expect(decideChain(set, links.toReversed(), target).outcome).toBe(expected ?? "allow");
  }
}

const PROFILES: readonly (readonly [profile: Profile, sets: number])[] = [
  ["any", sized(20, 1)],
  ["typed", sized(20, 1)],
  ["whole", sized(10, 1)],
];
const REQUESTS = 12;

test.each(PROFILES)("generated sets: %s", (profile, numRuns) => {
  const counts = counted();
  const cases = policySet({ profile }).chain((documents) =>
    fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
  );
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const set = compiledDocuments(documents);
      expectChain(set, requests.slice(0, 4));
      for (const { key: holder } of requests) {
        for (const { key: maker } of requests) {
          // Each request, by each key: its scope is the key's.
          check(set, maker, holder, requests, counts);
        }
      }
    }),
    { numRuns, endOnFailure: true },
  );
  say(`${profile} sets: ${JSON.stringify(counts)}`);
  // A small sample may have no key that covers another.
  if (numRuns > 5) expect(counts.covered).toBeGreaterThan(counts.pairs / 50);
  expect(counts.shown).toBeGreaterThan(counts.pairs / 50);
});
