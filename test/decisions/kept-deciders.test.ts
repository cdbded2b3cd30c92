/** Deciders cached by key decide as `decide` does, as long as the key is unchanged. */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { JsonValue } from "../../src/cel/json.js";
import { guard } from "../../src/http/index.js";
import { type DecisionRequest, decide, keepDeciders, type PolicySet } from "../../src/index.js";
import { permissions, policy, when } from "../support/compose.js";
import { throwingProxy } from "../support/hostile.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";
import { sized } from "../support/size.js";

type Key = DecisionRequest["key"];
const byContent = (key: Key): string => JSON.stringify([key.roles, key.attr]);

/** How many deciders `run` makes: each new decider looks up the questions of its key. */
function made(run: () => void, { tables } = shipped): number {
  const looked = vi.spyOn(tables, "of");
  run();
  const count = looked.mock.calls.length;
  looked.mockRestore();
  return count;
}

const request = ask("apis.getApi", { roles: ["custom"], key: { permissions: ["api.*.read_api"] } });
const { key } = request;

test("decisions are those of decide, whole, for keys that come again and keys that have changed", () => {
  const outcomes = new Map<string, number>();
  const roles = fc.constantFrom(["admin"], ["viewer"], ["custom"], ["custom", "viewer"], ["nobody"]);
  const permissions = fc.subarray(["api.*.read_api", "api.api_1.read_api", "api.*.update_api", "key.*.read_key"]);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(4), fc.constantFrom(...Object.keys(KINDS)), roles, permissions), { minLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      (all, limit) => {
        const kept = keepDeciders(shipped, { revision: byContent, limit });
        for (const [id, operation, some, others] of all) {
          const one = ask(operation, { roles: some, key: { permissions: others } });
          const asked = { ...one, key: { ...one.key, id: `key_${id}` } };
          const expected = decide(shipped, asked);
          expect(kept.decide(asked)).toEqual(expected);
          expect(kept.decide(asked)).toEqual(expected);
          outcomes.set(expected.outcome, (outcomes.get(expected.outcome) ?? 0) + 1);
        }
      },
    ),
    { numRuns: sized(500) },
  );
  expect(outcomes.get("allow")).toBeGreaterThan(sized(500));
  expect(outcomes.get("insufficient_permissions")).toBeGreaterThan(sized(500));
});

test("one decider for a key of one revision; none for a key without; another with another revision", () => {
  const kept = keepDeciders(shipped, { revision: ({ attr }) => (attr?.revision === undefined ? undefined : "1") });
  const revised = { ...request, key: { ...key, attr: { ...key.attr, revision: 1 } } };
  expect(made(() => void [kept.decide(revised), kept.decide({ ...revised }), kept.decide(revised)])).toBe(1);
  expect(made(() => void kept.decide(request))).toBe(0);
  const byTime = keepDeciders(shipped, { revision: byContent });
  const fewer = { ...request, key: { ...key, attr: { ...key.attr, permissions: [] } } };
  expect(made(() => void [byTime.decide(request), byTime.decide(fewer)])).toBe(2);
  expect([request, fewer, request].map((one) => byTime.decide(one).outcome)).toEqual([
    "allow",
    "insufficient_permissions",
    "allow",
  ]);
});

test("one decider for a key that is asked about without an account", () => {
  const files = shippedFiles.filter(({ path }) => !path.startsWith("platform/"));
  const set = compiled(files, { platform: "none" });
  const kept = keepDeciders(set, { revision: () => "1" });
  const { account: _, ...without } = request;
  expect(made(() => void [1, 2, 3].map(() => Reflect.apply(kept.decide, kept, [without])), set)).toBe(1);
});

/** More members than a decision compares. */
const MANY = Array.from({ length: 64 }, (_, i) => `api.other_${i}.read_api`);

test("beyond the members that are compared, the revision stands for a list", () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  const permissions = [...MANY, "api.*.read_api"];
  const changing = { ...request, key: { ...key, attr: { ...key.attr, permissions } } };
  expect(kept.decide(changing).outcome).toBe("allow");
  permissions[64] = "none";
  expect(kept.decide(changing).outcome).toBe("allow");
  permissions[10] = "none";
  expect(kept.decide(changing).outcome).toBe("insufficient_permissions");
});

test("so many keys are kept, those that were asked about lately", () => {
  const kept = keepDeciders(shipped, { revision: () => "1", limit: 2 });
  const keyOf = (id: string, permissions: readonly string[]) => ({ ...key, id, attr: { ...key.attr, permissions } });
  const outcomeOf = (id: string, last: string) => kept.decide({ ...request, key: keyOf(id, [...MANY, last]) }).outcome;
  for (const id of ["a", "b", "c", "d", "e"]) expect(outcomeOf(id, "api.*.read_api")).toBe("allow");
  // The cached decider trusts the revision: it does not look at the last permission again.
  expect(outcomeOf("e", "none")).toBe("allow");
  expect(outcomeOf("a", "none")).toBe("insufficient_permissions");
});

test("with another set in force all is found out anew", () => {
  let current: PolicySet = shipped;
  const kept = keepDeciders(() => current, { revision: () => "1" });
  expect(kept.decide(request).outcome).toBe("allow");
  current = compiled(shippedFiles.map((file) => ({ ...file, text: file.text.replaceAll("api.*.read_api", "no") })));
  expect(kept.decide(request)).toEqual(decide(current, request));
  expect(kept.decide(request).outcome).toBe("insufficient_permissions");
});

test("a key that is none, that is inherited, or that says another id each time, is decided on by itself", () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  for (const other of [undefined, null, 7, [], {}, { id: 7 }, { id: "" }, throwingProxy(), Object.create(key)]) {
    const asked = { ...request, key: other };
    expect(Reflect.apply(kept.decide, kept, [asked])).toEqual(Reflect.apply(decide, undefined, [shipped, asked]));
  }
  const inherited: unknown = Object.assign(Object.create({ key }), { ...request, key: undefined });
  Reflect.deleteProperty(Object(inherited), "key");
  expect(Reflect.apply(kept.decide, kept, [inherited])).toMatchObject({ outcome: "insufficient_permissions" });
  for (const none of [undefined, null, 7, throwingProxy()]) {
    expect(Reflect.apply(kept.decide, kept, [none])).toEqual(Reflect.apply(decide, undefined, [shipped, none]));
  }
  let reads = 0;
  const changing = {
    ...key,
    get id() {
      return `key_${reads++ % 2}`;
    },
  };
  kept.decide({ ...request, key: changing });
  const powerless = { ...request, key: { ...key, id: "key_0", attr: { ...key.attr, permissions: [] } } };
  expect(kept.decide(powerless).outcome).toBe("insufficient_permissions");
});

test("a revision that is no text, or throws, keeps nothing", () => {
  for (const revision of [() => undefined, () => Reflect.get(Object(7), "no"), () => Reflect.get({ no: 7 }, "no")]) {
    const kept = keepDeciders(shipped, { revision });
    expect(made(() => expect(kept.decide(request)).toEqual(decide(shipped, request)))).toBe(0);
  }
  const throwing = keepDeciders(shipped, {
    revision: () => {
      throw new Error("no revision");
    },
  });
  expect(throwing.decide(request)).toEqual(decide(shipped, request));
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("a limit of %s is refused", (limit) => {
  expect(() => keepDeciders(shipped, { revision: () => "1", limit })).toThrow(TypeError);
});

test("guard takes them as what decides, and neither copies the request nor looks at the key again", async () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  const decided = vi.spyOn(kept, "decide");
  const check = guard<DecisionRequest>({
    docsUrl: "docs.example.com",
    decide: kept,
    key: (one) => one.key,
    operation: (one) => one.operation,
    resource: (one) => one.resource,
    account: (one) => one.account,
    onError: () => undefined,
  });
  const { key: _, ...rest } = ask("apis.deleteApi", { roles: ["custom"] });
  expect(await check(request)).toMatchObject({ allowed: true, decided: { decision: decide(shipped, request) } });
  expect(await check({ ...rest, key })).toMatchObject({ allowed: false, reply: { status: 403 } });
  expect(decided.mock.calls.map(([one]) => one.key)).toEqual([key, key]);
  expect(decided.mock.calls[0]?.[0].key).toBe(key);
});

test("a thousand are kept, if nothing else is said", () => {
  const kept = keepDeciders(shipped, { revision: byContent });
  const ask = (i: number) => void kept.decide({ ...request, key: { ...key, id: `key_${i}` } });
  // The cache evicts when it has more than a thousand keys. It carries over the keys that are asked about again; the
  // first is not among them.
  for (let i = 0; i < 1_000; i++) ask(i);
  const older = () => Reflect.get(Reflect.get(kept, "known"), "older").size;
  expect(older()).toBe(0);
  ask(1_000);
  expect(older()).toBe(1_000);
});

test("an id that a key inherits, or that is no text, is none, though one is kept for it", () => {
  const kept = keepDeciders(shipped, { revision: ({ roles }) => String(roles) });
  expect(kept.decide(request)).toEqual(decide(shipped, request));
  const { id, ...rest } = key;
  const keys: readonly object[] = [
    Object.assign(Object.create({ id }), rest),
    { ...rest, id: [id] },
    { ...rest, id: undefined },
    rest,
  ];
  for (const other of keys) {
    const asked = { ...request, key: other as typeof key };
    expect(kept.decide(asked)).toEqual(decide(shipped, asked));
    expect(kept.decide(asked).permission.fault?.path).toBe("key.id");
  }
});

/** Revisions as programs compute them from an attribute that may be missing. */
const REVISIONS: readonly (readonly [string, (attr: NonNullable<Key["attr"]>) => unknown])[] = [
  ["String()", ({ changedAt }) => String(changedAt)],
  ["a template", ({ changedAt }) => `v${Number(changedAt)}:${changedAt}`],
  ["a template with a letter before it", ({ changedAt }) => `v${changedAt}`],
  ["a template with a digit after it", ({ changedAt }) => `${changedAt}1`],
  ["two templates", ({ changedAt, updatedAt }) => `${changedAt}${updatedAt}`],
  ["a number in a template", ({ changedAt }) => `v${Number(changedAt)}x`],
  ["JSON", ({ changedAt }) => JSON.stringify(["key", changedAt])],
  ["a number", ({ changedAt }) => Number(changedAt)],
  ["a number as text", ({ changedAt }) => String(Number(changedAt))],
  ["a date as text", ({ changedAt }) => String(new Date(String(changedAt)))],
  ["what concatenates", ({ changedAt }) => `${Object(changedAt)}`],
  ["an empty text", ({ changedAt }) => changedAt ?? ""],
  ["spaces", ({ changedAt }) => changedAt ?? "  "],
  ["null", ({ changedAt }) => changedAt ?? null],
  ["nothing", ({ changedAt }) => changedAt],
];

test.each(REVISIONS)("a missing revision keeps nothing: %s", (_, of) => {
  for (const missing of [{}, { changedAt: undefined }]) {
    const kept = keepDeciders(shipped, { revision: ({ attr = {} }) => Object(of)(attr) });
    // Of a kept key, the last permission would not be looked at again.
    const outcomeWith = (last: string) =>
      kept.decide({ ...request, key: { ...key, attr: { ...key.attr, permissions: [...MANY, last], ...missing } } })
        .outcome;
    expect([outcomeWith("api.*.read_api"), outcomeWith("none")]).toEqual(["allow", "insufficient_permissions"]);
  }
});

test("a revision is any other text", () => {
  for (const revision of ["1", "0", "etag-9f", "2026-01-01T00:00:00Z", "a b", "[object"]) {
    const kept = keepDeciders(shipped, { revision: () => revision });
    expect(made(() => void [kept.decide(request), kept.decide(request)])).toBe(1);
  }
});

test("tenants whose ids and revisions collide are told apart by what is cheap to compare", () => {
  const other = (changes: Partial<Key>): Key => ({ ...key, ...changes });
  const changes: readonly (readonly [string, Key])[] = [
    ["an attribute", other({ attr: { ...key.attr, accountId: "acc_2" } })],
    ["no attribute", other({ attr: Object.fromEntries(Object.entries(key.attr ?? {}).slice(1)) })],
    ["a further attribute", other({ attr: { ...key.attr, further: null } })],
    ["a list in the place of a text", other({ attr: { ...key.attr, environment: ["production"] } })],
    ["roles", other({ roles: ["nobody"] })],
    ["more roles", other({ roles: [...key.roles, "admin"] })],
    ["a scope", other({ scope: "acme" })],
    ["the older name of the attributes", { id: key.id, roles: key.roles, attributes: key.attr }],
    ["no attributes", { id: key.id, roles: key.roles }],
    ["a policy version", Object.assign({}, key, { policyVersion: "other" })],
  ];
  for (const [what, one] of changes) {
    const kept = keepDeciders(shipped, { revision: () => "1" });
    for (const asked of [key, one, key, one]) {
      const whole = { ...request, key: asked };
      expect([what, kept.decide(whole)]).toEqual([what, decide(shipped, whole)]);
    }
  }
});

test("a key is the same with its attributes in another order, with one that is undefined, and with equal maps", () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  const entries = [...Object.entries(key.attr ?? {}), ["place", { tenant: "a", at: [1, { more: null }] }] as const];
  const orders = [[["none", undefined] as const, ...entries], entries, [...entries].reverse()];
  const keys = orders.map((some) => ({ ...key, attr: structuredClone(Object.fromEntries(some)) }));
  expect(made(() => keys.map((one) => Reflect.apply(kept.decide, kept, [{ ...request, key: one }])))).toBe(1);
});

test("an attribute that a key inherits is not that of the kept key, of whatever value", () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  const { accountId, ...others } = { accountId: "acc_1", ...key.attr };
  const inheriting: Key["attr"] = Object.assign(Object.create({ accountId }), others, { further: 1 });
  for (const attr of [key.attr ?? {}, inheriting, key.attr ?? {}]) {
    const one = { ...request, key: { ...key, attr } };
    expect(kept.decide(one)).toEqual(decide(shipped, one));
  }
});

test("accounts whose keys differ in nothing but lists are told apart", () => {
  const kept = keepDeciders(shipped, { revision: () => "1" });
  const accounts = ["acc_1", "acc_2", "1:a", "1:", "a"].flatMap((id) => [
    { ...request.account, id },
    { ...request.account, id, scope: "a" },
  ]);
  for (let round = 0; round < 2; round++) {
    for (const [i, account] of accounts.entries()) {
      const attr = { ...key.attr, permissions: i % 2 === 0 ? ["api.*.read_api"] : [] };
      const one = { ...request, key: { ...key, attr }, account };
      expect(kept.decide(one)).toEqual(decide(shipped, one));
    }
  }
});

/** Conditions by operation. Each tells some values of an attribute apart. */
const ABOUT_PLACES = {
  tenant: 'P.attr.place.tenant == "a"',
  inside: 'P.attr.place.tenant.id == "a"',
  deep: 'P.attr.place.tenant.id[0] == "a"',
  more: "has(P.attr.place.more)",
  other: 'P.attr.place.other == "a"',
  empty: "size(P.attr.place) == 0",
  first: 'P.attr.place[0] == "a"',
  pair: 'P.attr.place == ["a", "b"]',
  nested: 'P.attr.place == [["a"]]',
  zero: "P.attr.place == [0.0]",
  nothing: "P.attr.place == [null]",
};
const PLACES = permissions({
  "doc.yaml": policy({
    rules: Object.entries(ABOUT_PLACES).map(
      ([action, expr]) => `actions: [${action}], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`,
    ),
  }),
});
const about = { ...request, resource: { kind: "doc", id: "d1" } };

test("a list or a map that is another is another key, in whatever it differs", () => {
  class Place {
    readonly tenant = "a";
  }
  class List extends Array<string> {}
  const values: readonly unknown[] = [
    { tenant: "a" },
    { tenant: "b" },
    { tenant: { id: "a" } },
    { tenant: { id: ["a"] } },
    { tenant: "a", more: null },
    { tenant: "a", more: undefined },
    { other: "a" },
    new Place(),
    Object.create({ tenant: "a" }),
    Object.assign(Object.create(null), { tenant: "a" }),
    {},
    [],
    ["a"],
    ["a", "b"],
    ["b", "a"],
    List.of("a"),
    [["a"]],
    [undefined],
    new Array(1),
    [0],
    [-0],
    [null],
    new Date(0),
    new Map([["tenant", "a"]]),
    () => "a",
  ];
  const asked = values.map((place) => ({ ...about, key: { ...key, roles: ["user"], attr: { place } } }));
  const allowed = new Set<string>();
  for (const first of asked) {
    for (const second of asked) {
      const kept = keepDeciders(PLACES, { revision: () => "1" });
      for (const one of [first, second, first]) {
        for (const operation of Object.keys(ABOUT_PLACES)) {
          const whole = { ...one, operation };
          const expected = Reflect.apply(decide, undefined, [PLACES, whole]);
          expect(Reflect.apply(kept.decide, kept, [whole])).toEqual(expected);
          if (expected.outcome === "allow") allowed.add(operation);
        }
      }
    }
  }
  expect([...allowed].sort()).toEqual(Object.keys(ABOUT_PLACES).sort());
});

/** 20,000 decisions in the whole sample, 50 in each run. */
const RUNS = sized(400);
const INTERLEAVED = 50 * RUNS;

test("interleaved decisions on keys of several tenants with the same ids and revisions are those of decide", () => {
  const outcomes = new Map<string, number>();
  let decisions = 0;
  let differentBefore = 0;
  const tenant = fc.constantFrom("acc_1", "acc_2");
  const id = fc.constantFrom("key_1", "key_2", "1:key_1");
  const scope = fc.constantFrom(undefined, "acme");
  const roles = fc.constantFrom(["admin"], ["viewer"], ["custom"]);
  const permissions = fc.subarray(["api.*.read_api", "api.api_1.read_api", "key.*.read_key", "api.*.update_api"]);
  const places = fc.constantFrom<JsonValue>({ tenant: "a" }, { tenant: "b" }, { tenant: ["a"] }, null);
  const changedAt = fc.constantFrom(undefined, 1, 2);
  const operation = fc.constantFrom(...Object.keys(KINDS));
  const revisions: readonly ((key: Key) => string | undefined)[] = [
    ({ attr }) => String(attr?.changedAt),
    ({ attr }) => `v${attr?.changedAt}`,
    ({ attr }) => (attr?.changedAt === undefined ? undefined : "1"),
    () => "1",
  ];
  const all = fc.array(fc.tuple(tenant, tenant, id, scope, roles, permissions, places, changedAt, operation), {
    minLength: 50,
    maxLength: 50,
  });
  fc.assert(
    fc.property(all, fc.constantFrom(1, 3, 1_000), fc.constantFrom(...revisions), (all, limit, revision) => {
      const kept = keepDeciders(shipped, { revision, limit });
      const before = new Map<string, string>();
      for (const [own, of, id, scope, roles, permissions, place, changedAt, operation] of all) {
        const attr = { accountId: own, permissions, place, ...(changedAt === undefined ? {} : { changedAt }) };
        const { key: given, ...rest } = ask(operation, { key: attr, roles });
        const one = {
          ...rest,
          key: { ...given, ...(scope === undefined ? {} : { scope }), id },
          account: { ...rest.account, id: of },
        };
        const expected = decide(shipped, one);
        expect(kept.decide(one)).toEqual(expected);
        outcomes.set(expected.outcome, (outcomes.get(expected.outcome) ?? 0) + 1);
        // A decider that was kept by id alone would have answered so.
        if ((before.get(id + operation) ?? expected.outcome) !== expected.outcome) differentBefore++;
        before.set(id + operation, expected.outcome);
        decisions++;
      }
    }),
    { numRuns: RUNS },
  );
  expect(decisions).toBe(INTERLEAVED);
  expect(outcomes.get("allow")).toBeGreaterThan(INTERLEAVED / 20);
  expect(outcomes.get("insufficient_permissions")).toBeGreaterThan(INTERLEAVED / 20);
  expect(differentBefore).toBeGreaterThan(INTERLEAVED / 100);
});
