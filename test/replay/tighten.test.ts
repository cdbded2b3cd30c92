/**
 * Tightened keys: no recorded allow is lost, no permission is left that no allow needs, and nothing is added. Both are
 * found by trying: each permission is left out, and every recorded request is decided again.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { decideAny } from "../../src/decisions/decide.js";
import { decideAnyChain } from "../../src/decisions/decide-chain.js";
import { decisionRecord } from "../../src/http/index.js";
import type { MaskedField } from "../../src/http/value-mask.js";
import type { PolicySet } from "../../src/index.js";
import { readEntry } from "../../src/replay/log-entry.js";
import type { TightenedKey } from "../../src/replay/tighten/key-tightening.js";
import { Tightening, type TighteningResult } from "../../src/replay/tighten/tightening.js";
import { Random } from "../differential/random.js";
import { type PlainRequest, shippedRequest } from "../property/arbitraries/index.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { entryOf } from "./recorded.js";

const compiled = compileCheckEngine(shippedFiles, {});
if (isLeft(compiled)) throw new Error("no engine");
const ENGINE = compiled.right;

function tightened(lines: readonly string[], policies: PolicySet = shipped, isComplete = true): TighteningResult {
  const run = new Tightening(ENGINE, policies, isComplete);
  for (const pass of ["see", "collect", "verify"] as const) {
    for (const line of lines) {
      const entry = readEntry(line);
      if (entry.kind !== "skipped") run[pass](entry);
    }
  }
  return run.result();
}

const TIME = "2026-11-28T02:37:34Z";

/** A decision record with the attributes that rules read. */
function record(asked: PlainRequest, mask: readonly MaskedField[] = [], time = TIME, ancestors: Above = []): string {
  const about = { requestId: "req_1", request: asked, ancestors, durationMs: 1, policySetHash: "sha256:0" };
  const reads = { record: "reads", policies: shipped, mask, salt: "sixteen characters" } as const;
  return JSON.stringify({ time, ...decisionRecord({ ...about, decision: decideBelow(asked, ancestors), ...reads }) });
}

/** The keys above the key of a request. */
type Above = readonly PlainRequest["key"][];

function decideBelow({ key, ...request }: PlainRequest, ancestors: Above) {
  return decideAnyChain(shipped, [key, ...ancestors], request);
}

/** The entry of a Cerbos server about the permission layer. */
function serverLine({ key, operation, resource }: PlainRequest): string {
  const part = ({ id, attr }: { readonly id: string; readonly attr: object }) => ({ id, attr: { ...attr } });
  return JSON.stringify(
    entryOf(ENGINE, {
      principal: { ...part(key), roles: [...key.roles] },
      resource: { ...part(resource), kind: resource.kind },
      actions: [operation],
    }),
  );
}

function isServerAllow(asked: PlainRequest): boolean {
  return serverLine(asked).includes("EFFECT_ALLOW");
}

function isAllow(asked: PlainRequest): boolean {
  return decideAny(shipped, asked).outcome === "allow";
}

interface GeneratedKey {
  readonly requests: readonly PlainRequest[];
}

const IDS = ["*", "api_1", "api_2", "key_1"];
const TYPES = ["api", "key"];
const ACTIONS = ["read_api", "read_key", "update_api", "delete_api", "create_key", "update_key", "delete_key"];

const permission = fc
  .tuple(fc.constantFrom(...TYPES), fc.constantFrom(...IDS), fc.constantFrom(...ACTIONS))
  .map((parts) => parts.join("."));

/** A key with permissions, and its requests in one account: many of them are allowed. */
function generatedKey(number: number): fc.Arbitrary<GeneratedKey> {
  const operations = ["apis.getApi", "apis.updateApi", "apis.deleteApi", "apis.listKeys", "keys.createKey"];
  const onKeys = ["keys.getKey", "keys.updateKey", "keys.deleteKey"];
  return fc
    .record({
      roles: fc.oneof(
        { weight: 3, arbitrary: fc.constant(["custom"]) },
        { weight: 2, arbitrary: fc.constantFrom(["admin"], ["editor"], ["viewer"]) },
        { weight: 1, arbitrary: fc.constantFrom(["viewer", "custom"], ["admin", "viewer"], ["viewer", "editor"]) },
      ),
      permissions: fc.uniqueArray(permission, { maxLength: 12 }),
      asked: fc.array(
        fc.record({
          operation: fc.constantFrom(...operations, ...onKeys),
          resourceId: fc.constantFrom("api_1", "api_2", "key_1"),
          apiId: fc.constantFrom("api_1", "api_2"),
          odd: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: shippedRequest({}) }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
    })
    .map(({ roles, permissions, asked }) => ({
      requests: asked.map(({ operation, resourceId, apiId, odd }) => {
        const resource = operation.startsWith("keys.") && operation !== "keys.createKey" ? { apiId } : {};
        const made = ask(operation, { roles, key: { permissions }, resourceId, resource });
        const key = { ...made.key, id: `key_${number}` };
        return odd === null ? { ...made, key } : { ...odd, key };
      }),
    }));
}

function withPower(asked: PlainRequest, roles: readonly string[], permissions: readonly string[]): PlainRequest {
  const { key } = asked;
  return { ...asked, key: { ...key, roles: [...roles], attr: { ...key.attr, permissions: [...permissions] } } };
}

const neededOf = ({ permissions }: TightenedKey) =>
  permissions.filter(({ isNeeded }) => isNeeded).map((one) => one.permission);

test("200 keys, in both kinds of logs", { timeout: 3_600_000 }, () => {
  const keys = fc.sample(fc.tuple(...Array.from({ length: sized(200, 24) }, (_, i) => generatedKey(i))), {
    ...{ numRuns: 1, seed: SEED },
  })[0];
  if (keys === undefined) throw new Error("no keys");
  const counts = { allows: 0, dropped: 0, kept: 0, lowered: 0 };
  for (const [lineOf, allows] of [
    [(asked: PlainRequest) => record(asked), isAllow],
    [serverLine, isServerAllow],
  ] as const) {
    const { keys: found } = tightened(keys.flatMap(({ requests }) => requests.map((asked) => lineOf(asked))));
    expect(found).toHaveLength(keys.length);
    for (const [i, { requests }] of keys.entries()) {
      const key = found.find((one) => one.key === `key_${i}`);
      if (key === undefined) throw new Error(`no key ${i}`);
      const told = () => JSON.stringify({ key, requests });
      expect([key.isProved, key.unreproduced, key.lostBefore, key.undetermined], told()).toEqual([true, 0, 0, 0]);
      const recorded = requests.filter(allows);
      const needed = neededOf(key);
      const keeps = (roles: readonly string[], permissions: readonly string[]) =>
        recorded.every((asked) => allows(withPower(asked, roles, permissions)));
      expect(recorded).toHaveLength(key.allowed);
      expect(keeps(key.neededRoles, needed), told()).toBe(true);
      const unneeded = needed.filter((left) =>
        keeps(
          key.neededRoles,
          needed.filter((one) => one !== left),
        ),
      );
      expect(unneeded, told()).toEqual([]);
      const lower = key.neededRoles.filter((left) =>
        keeps(
          key.neededRoles.filter((one) => one !== left),
          needed,
        ),
      );
      if (key.neededRoles.length > 1) expect(lower, told()).toEqual([]);
      const order = ["custom", "viewer", "editor", "admin"];
      const rank = (roles: readonly string[]) => Math.max(...roles.map((role) => order.indexOf(role)));
      const own = key.permissions.map((one) => one.permission);
      const lowest = order.findIndex((role, at) => at <= rank(key.roles) && keeps([role], own));
      expect(rank(key.neededRoles), told()).toBe(lowest);
      counts.allows += recorded.length;
      counts.kept += needed.length;
      counts.dropped += own.length - needed.length;
      if (rank(key.neededRoles) < rank(key.roles)) counts.lowered += 1;
    }
  }
  say(JSON.stringify(counts));
  const size = keys.length;
  expect([counts.allows > size * 2, counts.kept > size / 2, counts.dropped > size, counts.lowered > size / 8]).toEqual([
    ...[true, true, true, true],
  ]);
});

const CUSTOM = {
  roles: ["custom"],
  key: { permissions: ["api.*.read_api", "api.api_1.read_api", "api.*.delete_api"] },
};

test("the permission for all resources goes first, and uses have times", () => {
  const lines = [
    record(ask("apis.getApi", CUSTOM), [], "2026-11-01T00:00:00Z"),
    record(ask("apis.getApi", CUSTOM), [], "2026-11-03T00:00:00Z"),
    record(ask("apis.updateApi", CUSTOM), [], "2026-11-04T00:00:00Z"),
  ];
  const { keys, roles, rules } = tightened(lines);
  const times = { uses: 2, first: "2026-11-01T00:00:00Z", last: "2026-11-03T00:00:00Z" };
  const none = { uses: 0, first: undefined, last: undefined };
  expect(keys).toEqual([
    {
      ...{ key: "key_caller", from: "2026-11-01T00:00:00Z", to: "2026-11-04T00:00:00Z", allowed: 2, refused: 1 },
      ...{ allowedBelow: 0, lostBefore: 0, unreproduced: 0, undetermined: 0 },
      ...{ roles: ["custom"], neededRoles: ["custom"], roleUses: [{ role: "custom", isNeeded: true, ...times }] },
      permissions: [
        { list: "attr.permissions", permission: "api.*.read_api", isNeeded: false, ...times },
        { list: "attr.permissions", permission: "api.api_1.read_api", isNeeded: true, ...times },
        { list: "attr.permissions", permission: "api.*.delete_api", isNeeded: false, ...none },
      ],
      ...{ isProved: true, doubts: [] },
    },
  ]);
  expect(roles).toEqual(
    ["admin", "custom", "editor", "viewer"].map((role) => {
      return role === "custom" ? { role, keys: 1, ...times } : { role, keys: 0, ...none };
    }),
  );
  expect(rules.filter(({ uses }) => uses > 0)).toEqual([{ rule: expect.stringMatching(/^resource\.api\./), ...times }]);
});

test("the key of today is that of the latest entry, and older allows that it lacks are named", () => {
  const older = record(ask("apis.deleteApi", CUSTOM), [], "2026-11-02T00:00:00Z");
  const less = { roles: ["custom"], key: { permissions: ["api.*.read_api"] } };
  const latest = record(ask("apis.getApi", less), [], "2026-11-05T00:00:00Z");
  const [key] = tightened([latest, older]).keys;
  expect(key).toMatchObject({ allowed: 2, lostBefore: 1, isProved: true });
  expect(key?.permissions.map(({ permission }) => permission)).toEqual(["api.*.read_api"]);
});

test("attributes that the log lacks: what may be needed is kept, and nothing is proved", () => {
  const asked = ask("apis.getApi", CUSTOM);
  const [masked] = tightened([record(asked, ["resource.attr.environment"])]).keys;
  expect(masked).toMatchObject({ isProved: true });
  const [hidden] = tightened([record(asked, ["key.attr.permissions"])]).keys;
  expect(hidden).toMatchObject({ permissions: [], neededRoles: ["custom"] });
  const line = JSON.parse(serverLine(asked));
  delete line.checkResources.inputs[0].resource.attr.environment;
  const [lossy] = tightened([JSON.stringify(line)], shipped, false).keys;
  expect(lossy?.permissions.filter(({ isNeeded }) => isNeeded).length).toBeGreaterThan(0);
});

test("other policies than those of the log: nothing is needed for what they do not allow", () => {
  const line = JSON.parse(record(ask("apis.deleteApi", { roles: ["viewer"] })));
  const [key] = tightened([JSON.stringify({ ...line, outcome: "allow" })]).keys;
  expect(key).toMatchObject({ allowed: 1, unreproduced: 1, neededRoles: ["custom"] });
});

test("a role that gives more than is used: its uses, and those of the lower one", () => {
  const [key] = tightened([
    record(ask("apis.getApi", { roles: ["admin", "viewer"] }), [], "2026-11-01T00:00:00Z"),
    record(ask("apis.getApi", { roles: ["admin", "viewer"] }), [], "2026-11-02T00:00:00Z"),
  ]).keys;
  const times = { uses: 2, first: "2026-11-01T00:00:00Z", last: "2026-11-02T00:00:00Z" };
  expect(key?.roleUses).toEqual([
    { role: "admin", isNeeded: false, ...times },
    { role: "viewer", isNeeded: true, ...times },
  ]);
});

/** A key with permissions, an id and no other power. */
const holder = (id: string, ...permissions: readonly string[]) => {
  const { key } = ask("apis.getApi", { roles: ["custom"], key: { permissions } });
  return { ...key, id };
};

test("a permission is needed where a key below needs it, and a refusal is that of the key that asks", () => {
  const parent = holder("parent", "api.*.read_api", "api.*.read_key", "api.*.delete_api");
  const asks = (operation: string, ...permissions: readonly string[]) =>
    record({ ...ask(operation), key: holder("child", ...permissions) }, [], TIME, [parent]);
  const { keys, rules } = tightened([
    asks("apis.getApi", "api.*.read_api", "api.api_1.read_api"),
    asks("apis.updateApi", "api.*.read_api", "api.api_1.read_api"),
    record({ ...ask("apis.listKeys"), key: parent }),
  ]);
  const told = ({ key, allowed, allowedBelow, refused, isProved }: TightenedKey) => {
    return { key, allowed, allowedBelow, refused, isProved };
  };
  expect(keys.map((key) => ({ ...told(key), needed: neededOf(key) }))).toEqual([
    { key: "child", allowed: 1, allowedBelow: 0, refused: 1, isProved: true, needed: ["api.api_1.read_api"] },
    {
      key: "parent",
      allowed: 2,
      allowedBelow: 1,
      refused: 0,
      isProved: true,
      needed: ["api.*.read_api", "api.*.read_key"],
    },
  ]);
  expect(rules.filter(({ uses }) => uses > 0).map(({ uses }) => uses)).toEqual([1, 1]);
});

test("chains of generated keys: all tightened keys together keep each recorded allow, and need what they keep", () => {
  const random = new Random(SEED);
  const links = fc.sample(generatedKey(0), { numRuns: sized(60, 12), seed: SEED });
  const keyOf = (at: number) => ({ ...holder(`key_${at}`), ...ownOf(links[at]) });
  const families = links.flatMap(({ requests }, at) => {
    const above = Array.from({ length: random.int(0, 3) }, (_, up) => keyOf(Math.max(0, at - up - 1)));
    const ancestors = [...new Map(above.map((key) => [key.id, key])).values()].filter(({ id }) => id !== `key_${at}`);
    return requests.map((asked) => ({ asked: { ...asked, key: keyOf(at) }, ancestors }));
  });
  const { keys } = tightened(families.map(({ asked, ancestors }) => record(asked, [], TIME, ancestors)));
  const found = new Map(keys.map((key) => [key.key, key]));
  const withNeeded = (key: PlainRequest["key"], left?: string) => {
    const { neededRoles, permissions } = found.get(key.id) ?? { neededRoles: key.roles, permissions: [] };
    const kept = permissions.filter(({ isNeeded, permission: one }) => isNeeded && one !== left);
    return { ...key, roles: [...neededRoles], attr: { ...key.attr, permissions: kept.map((one) => one.permission) } };
  };
  const allowed = families.filter(({ asked, ancestors }) => decideBelow(asked, ancestors).outcome === "allow");
  const keeps = (map: (key: PlainRequest["key"]) => PlainRequest["key"]) =>
    allowed.every(({ asked, ancestors }) => {
      return decideBelow({ ...asked, key: map(asked.key) }, ancestors.map(map)).outcome === "allow";
    });
  expect(keeps((key) => withNeeded(key))).toBe(true);
  for (const key of keys) {
    for (const left of neededOf(key)) {
      const less = (one: PlainRequest["key"]) => withNeeded(one, one.id === key.key ? left : undefined);
      expect(keeps(less), JSON.stringify({ key, left })).toBe(false);
    }
  }
  const below = keys.filter(({ allowedBelow }) => allowedBelow > 0);
  say(JSON.stringify({ keys: keys.length, allowed: allowed.length, below: below.length }));
  expect(below.length).toBeGreaterThan(keys.length / 10);
});

/** The roles and permissions of a generated key. */
function ownOf(made: GeneratedKey | undefined): Pick<PlainRequest["key"], "roles" | "attr"> {
  const key = made?.requests.find((asked) => asked.key.attr.accountId === "acc_1")?.key;
  return key === undefined ? { roles: ["viewer"], attr: holder("x").attr } : { roles: key.roles, attr: key.attr };
}
