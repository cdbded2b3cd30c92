/** Snapshots of keys that replicas keep: a change at one is seen by all, and without notices nothing is kept. */

import { sql } from "drizzle-orm";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConfigInvalid, readConfig } from "../src/config/config.js";
import { SnapshotCaches } from "../src/http/snapshot-cache.js";
import type { Statement } from "../src/store/statement.js";
import type { Store } from "../src/store/store.js";
import { describeStores, NO_POSTGRES, newDatabase, openPostgresAt, skipped } from "./support/databases.js";
import { until } from "./support/process.js";
import { failureOf, type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

/** Long enough that no snapshot ends by its age during a test. */
const AGE = 600_000;

/** A service that keeps snapshots, and counts the statements that look for one. */
async function keeping(store: Store, ageMs = AGE) {
  const caches = new SnapshotCaches({ ageMs });
  let looked = 0;
  const run: Store["run"] = (statement: Statement, values) => {
    if (statement.name.startsWith("sight_")) looked++;
    return store.run(statement, values);
  };
  const service = await testService({ ...store, run }, { caches });
  const end = store.listen(caches.listener);
  await until("changes are told of", () => caches.load().listening === 1);
  return { service, caches, end, looked: () => looked };
}

describeStores("kept snapshots", (open) => {
  let store: Store;
  let kept: Awaited<ReturnType<typeof keeping>>;
  let world: World;
  beforeAll(async () => {
    store = await open();
    kept = await keeping(store);
  });
  beforeEach(async () => {
    world = await newAccount(store);
  });
  afterAll(async () => {
    await kept.end();
    await store.close();
  });
  const send = (path: string, key: string, body: object) => kept.service.call(path, key, body);
  const made = async () =>
    (await send("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x", roles: ["viewer"] })).body
      .data;

  test("spare the store look-ups, for reads of keys only", async () => {
    const { key, keyId } = await made();
    const reads = async () => [
      (await send("/v2/keys.getKey", world.admin.secret, { keyId })).status,
      (await send("/v2/keys.verifyKey", world.admin.secret, { key })).status,
      (await send("/v2/keys.whoami", key, {})).status,
    ];
    await reads();
    const before = kept.looked();
    for (let i = 0; i < 3; i++) expect(await reads()).toEqual([200, 200, 200]);
    expect(kept.looked()).toBe(before);
    await send("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
    expect(kept.looked()).toBe(before + 1);
    // A secret that is nearly right proves nothing, kept or not.
    expect((await send("/v2/keys.whoami", `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`, {})).status).toBe(401);
  });

  test("are forgotten with the change that this process makes, before it is answered", async () => {
    for (let round = 0; round < 5; round++) {
      const { key, keyId } = await made();
      const verify = async () => (await send("/v2/keys.verifyKey", world.admin.secret, { key })).body.data.code;
      expect([await verify(), (await send("/v2/keys.whoami", key, {})).status]).toEqual(["valid", 200]);
      await send("/v2/keys.updateKey", world.admin.secret, { keyId, state: "disabled" });
      expect([await verify(), (await send("/v2/keys.whoami", key, {})).status]).toEqual(["disabled", 401]);
      await send("/v2/keys.updateKey", world.admin.secret, { keyId, state: "enabled", name: "again" });
      expect((await send("/v2/keys.getKey", world.admin.secret, { keyId })).body.data.name).toBe("again");
      const { key: next } = (await send("/v2/keys.rerollKey", world.admin.secret, { keyId })).body.data;
      expect([await verify(), (await send("/v2/keys.whoami", next, {})).status]).toEqual(["not_found", 200]);
    }
  });

  test.each([
    ["a key", "update keys set state = 'disabled' where account_id = $1 and name = 'x'", "disabled", "disabled"],
    ["its API", "update apis set state = 'suspended' where account_id = $1 and not system", "suspended", "valid"],
    ["its workspace", "update workspaces set state = 'suspended' where account_id = $1", "suspended", "valid"],
    ["the key above it", "update keys set permissions = '{api.*.read_api}' where account_id = $1", "enabled", "valid"],
  ])("are forgotten when %s is changed by SQL of the platform", async (_, text, state, code) => {
    const { key, keyId } = await made();
    const seen = async () => [
      (await send("/v2/keys.getKey", world.admin.secret, { keyId })).body.data.state,
      (await send("/v2/keys.verifyKey", world.admin.secret, { key })).body.data.code,
    ];
    expect(await seen()).toEqual(["enabled", "valid"]);
    const before = kept.looked();
    await store.run({ name: "changed", text, isOwn: true }, [world.accountId]);
    await until("the change is seen", async () => {
      const now = await seen();
      return kept.looked() > before && now.join() === [state, code].join();
    });
  });

  test("of an account are forgotten with its status, for what a key might do", async () => {
    const { key, keyId } = await made();
    const may = { operation: "keys.updateKey", keyId };
    const ask = async () =>
      (await send("/v2/keys.verifyKey", world.admin.secret, { key: world.admin.secret, may })).body.data.outcome;
    expect([await ask(), await ask()]).toEqual(["allow", "allow"]);
    await store.queries.execute(sql`update accounts set status = 'suspended' where id = ${world.accountId}`);
    await until("the suspension is seen", async () => (await ask()) === "forbidden");
    expect((await send("/v2/keys.verifyKey", world.admin.secret, { key })).status).toBe(200);
  });

  test("do not hold up credits: each verification takes one", async () => {
    const body = { apiId: world.active, name: "x", credits: { remaining: 2 } };
    const { key } = (await send("/v1/keys.createKey", world.admin.secret, body)).body.data;
    const verify = async () => (await send("/v2/keys.verifyKey", world.admin.secret, { key })).body.data.code;
    expect([await verify(), await verify(), await verify()]).toEqual(["valid", "valid", "usage_exceeded"]);
  });
});

describe.skipIf(NO_POSTGRES !== undefined)(`two replicas${skipped(NO_POSTGRES)}`, () => {
  let url: string;
  let stores: [Store, Store];
  let replicas: Awaited<ReturnType<typeof keeping>>[];
  let world: World;
  let other: Client;
  beforeAll(async () => {
    url = await newDatabase();
    stores = [await openPostgresAt(url), await openPostgresAt(url)];
    replicas = [await keeping(stores[0]), await keeping(stores[1])];
    world = await newAccount(stores[0]);
    other = new Client({ connectionString: url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    for (const { end } of replicas) await end();
    for (const store of stores) await store.close();
  });
  const at = (replica: number): TestService => {
    const found = replicas[replica];
    if (found === undefined) throw new Error("no such replica");
    return found.service;
  };
  const made = async () =>
    (await at(0).call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x", roles: ["viewer"] }))
      .body.data;

  test("what is revoked at one is refused at the other, and reduced powers are gone", async () => {
    for (let round = 0; round < 10; round++) {
      const { key, keyId } = await made();
      const status = async () => (await at(1).call("/v2/keys.whoami", key, {})).status;
      const read = async () => failureOf(await at(1).call("/v2/keys.getKey", key, { keyId }));
      expect([await status(), await read()]).toEqual([200, "ok"]);
      await at(0).call("/v2/keys.updateKey", world.admin.secret, { keyId, roles: ["custom"] });
      await until("the reduced role counts", async () => (await read()) === "403 insufficient_permissions");
      await at(0).call("/v2/keys.revokeKey", world.admin.secret, { keyId });
      await until("the revoked key is refused", async () => (await status()) === 401);
    }
  });

  test("a connection that is lost opens nothing: without it, and after it, nothing old is used", async () => {
    const { key, keyId } = await made();
    const verify = async () => (await at(1).call("/v2/keys.verifyKey", world.admin.secret, { key })).body.data.code;
    expect([await verify(), await verify()]).toEqual(["valid", "valid"]);
    const isKeeping = () => replicas[1]?.caches.load().listening === 1;
    // Nobody can log in while the listeners are away.
    await other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keyward-service-listener'",
    );
    await until("the loss is noticed", () => !isKeeping());
    await other.query("update keys set state = 'revoked' where id = $1", [keyId]);
    expect(await verify()).toBe("revoked");
    await until("changes are told of again", isKeeping);
    expect(await verify()).toBe("revoked");
    await other.query("update keys set name = 'y' where id = $1", [keyId]);
    expect((await at(1).call("/v2/keys.getKey", world.admin.secret, { keyId })).body.data.state).toBe("revoked");
  });

  test("an age that is over ends a snapshot that nobody was told about", async () => {
    let now = 0;
    const caches = new SnapshotCaches({ ageMs: 100, now: () => now });
    caches.listener.onListening(true);
    const service = await testService(stores[0], { caches });
    const { key } = await made();
    const verify = async () => (await service.call("/v2/keys.verifyKey", world.admin.secret, { key })).body.data.code;
    expect(await verify()).toBe("valid");
    await other.query("update keys set state = 'disabled' where name = 'x'");
    now = 99;
    expect(await verify()).toBe("valid");
    now = 100;
    expect(await verify()).toBe("disabled");
  });
});

describe("a cache", () => {
  const row = (id: string) => ({ version: "1", caller: {}, account: { id }, target: null }) as never;

  test("keeps nothing without notices, nothing that changed while it was read, and no more than it may", async () => {
    const caches = new SnapshotCaches({ ageMs: 1_000, most: 2, now: () => 0 });
    const cache = caches.of.key;
    let loads = 0;
    const load = async () => {
      loads++;
      return row("acc_1");
    };
    await cache.read("a", load);
    await cache.read("a", load);
    expect([loads, cache.size]).toEqual([2, 0]);
    caches.listener.onListening(true);
    await cache.read("a", load);
    await cache.read("a", load);
    expect(loads).toBe(3);
    caches.listener.onChange("acc_2");
    await cache.read("a", load);
    expect(loads).toBe(3);
    await cache.read("b", async () => {
      caches.listener.onChange("acc_1");
      return row("acc_1");
    });
    await cache.read("b", load);
    await cache.read("c", load);
    await cache.read("d", load);
    expect([loads, cache.size]).toEqual([6, 2]);
    caches.listener.onListening(false);
    await cache.read("d", load);
    caches.listener.onListening(true);
    await cache.read("d", load);
    expect(loads).toBe(8);
    await cache.read("none", async () => undefined);
    expect(cache.size).toBe(2);
  });
});

test("is off behind a transaction pooler, where nobody can listen", () => {
  const environment = { DATABASE_URL: "postgres://x/y", DATABASE_POOLER: "transaction" };
  expect(readConfig(environment).KEY_CACHE_MS).toBe(0);
  expect(() => readConfig({ ...environment, KEY_CACHE_MS: "1000" })).toThrow(ConfigInvalid);
  expect(() => readConfig({ ...environment, RETENTION_KEYS_DAYS: "1" })).toThrow(/RETENTION_KEYS_DAYS/);
});
