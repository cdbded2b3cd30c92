/** Repeated creates: an `Idempotency-Key` gives one effect, one answer, and tells nothing to anyone but its caller. */

import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { verifyAudit } from "../src/audit-log.js";
import { opened, sealed } from "../src/auth/sealed.js";
import { removeExpiredAnswers } from "../src/store/expiry.js";
import { accounts, answers, apis, keys } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { until } from "./support/process.js";
import { failureOf, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("a create with an Idempotency-Key", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  useService(open, (made) => ({ store, service, world } = made));

  const CREATE_KEY = "/v1/keys.createKey";
  const send = (token: string, body: unknown, { path = CREATE_KEY, key = world.admin.secret, at = service } = {}) =>
    at.call(path, key, body, { headers: { "idempotency-key": token } });
  const countOfKeys = async (apiId = world.active) =>
    (await store.queries.select().from(keys).where(eq(keys.apiId, apiId))).length;

  test("that comes again gets the first answer, and changes nothing", async () => {
    const before = await countOfKeys();
    const body = { apiId: world.active, name: "once", roles: ["viewer"] };
    const first = await send("first", body);
    const entries = (await verifyAudit(store)).entries;
    const second = await send("first", { roles: ["viewer"], name: "once", apiId: world.active, permissions: [] });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.body.data.key).toMatch(/^kw_/);
    expect(second.body.meta.requestId).not.toBe(first.body.meta.requestId);
    expect([first, second].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect(await countOfKeys()).toBe(before + 1);
    expect((await verifyAudit(store)).entries).toBe(entries);
    expect((await service.call("/v2/keys.whoami", second.body.data.key, {})).status).toBe(200);
    expect(service.records.at(-1)).toMatchObject({ operation: "keys.createKey", outcome: "allow", repeated: true });
  });

  test("works for workspaces and APIs, whose names or quotas would refuse a second one", async () => {
    const full = await newAccount(store, { limitApis: 3 });
    const key = full.admin.secret;
    const workspace = { name: "One", environment: "production" };
    const createWorkspace = () => send("w", workspace, { path: "/v2/workspaces.createWorkspace", key });
    const { workspaceId } = (await createWorkspace()).body.data;
    expect((await createWorkspace()).body.data.workspaceId).toBe(workspaceId);
    const createApi = (token: string) => send(token, { workspaceId, name: "x" }, { path: "/v2/apis.createApi", key });
    const made = await createApi("a");
    expect((await createApi("a")).body.data).toEqual(made.body.data);
    expect(failureOf(await createApi("b"))).toBe("403 forbidden");
  });

  test("is refused with another body, or for another operation", async () => {
    const body = { apiId: world.active, name: "one" };
    expect(failureOf(await send("reused", body))).toBe("ok");
    const before = await countOfKeys();
    const others = [
      send("reused", { ...body, name: "two" }),
      send("reused", { ...body, roles: ["viewer"] }),
      send("reused", { workspaceId: world.workspaceId, name: "one" }, { path: "/v2/apis.createApi" }),
    ];
    expect((await Promise.all(others)).map(failureOf)).toEqual(Array(3).fill("422 idempotency_key_reused"));
    expect(await countOfKeys()).toBe(before);
  });

  test.each([
    ["spaces", "a b"],
    ["256 characters", "x".repeat(256)],
    ["two fields", "a, b"],
    ["nothing", ""],
  ])("is refused with %s", async (_, token) => {
    const before = await countOfKeys();
    expect(failureOf(await send(token, { apiId: world.active, name: "x" }))).toBe("400 invalid_idempotency_key");
    expect(await countOfKeys()).toBe(before);
  });

  test("belongs to its caller", async () => {
    const body = { apiId: world.active, name: "x" };
    const [mine, theirs] = [await send("shared", body), await send("shared", body, { key: world.editor.secret })];
    expect([failureOf(mine), failureOf(theirs)]).toEqual(["ok", "ok"]);
    expect(theirs.body.data.keyId).not.toBe(mine.body.data.keyId);
    expect(failureOf(await send("shared", body, { key: world.viewer.secret }))).toBe("403 insufficient_permissions");
    expect(failureOf(await send("shared", body, { key: "kw_none" }))).toBe("401 invalid_key");
  });

  test("is answered again only while the caller has the permission", async () => {
    const { secret, keyId } = await add(store, world, (things) =>
      things.key(world.system, { name: "x", roles: ["custom"], permissions: ["api.*.create_key"] }),
    );
    const body = { apiId: world.active, name: "x" };
    const again = async () => failureOf(await send("reduced", body, { key: secret }));
    expect([await again(), await again()]).toEqual(["ok", "ok"]);
    const permissions = (list: string[]) =>
      service.call("/v2/keys.updateKey", world.admin.secret, { keyId, permissions: list });
    await permissions([]);
    expect(await again()).toBe("403 insufficient_permissions");
    await permissions(["api.*.create_key"]);
    expect(await again()).toBe("ok");
    // What the platform forbids by now has been done before.
    const hold = (holds: string[]) =>
      store.queries.update(accounts).set({ holds }).where(eq(accounts.id, world.accountId));
    await hold(["abuse"]);
    try {
      expect(await again()).toBe("ok");
      expect(failureOf(await send("new", body, { key: secret }))).toBe("403 forbidden");
    } finally {
      await hold([]);
    }
    await service.call("/v2/keys.revokeKey", world.admin.secret, { keyId });
    expect(await again()).toBe("401 invalid_key");
  });

  test("that is refused can be sent again", async () => {
    const draft = await add(store, world, (things) => things.api(world.workspaceId, { name: "d", state: "draft" }));
    const body = { apiId: draft, name: "x" };
    expect(failureOf(await send("later", body))).toBe("403 forbidden");
    await store.queries.update(apis).set({ state: "active" }).where(eq(apis.id, draft));
    expect(failureOf(await send("later", body))).toBe("ok");
  });

  test("that comes at the same time, to two replicas, has one effect", async () => {
    const other = await testService(store);
    const before = await countOfKeys();
    const body = { apiId: world.active, name: "x" };
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) => send("together", body, { at: i % 2 === 0 ? service : other })),
    );
    expect(new Set(all.map(failureOf))).toEqual(new Set(["ok"]));
    expect(new Set(all.map((answer) => JSON.stringify(answer.body.data))).size).toBe(1);
    expect(await countOfKeys()).toBe(before + 1);
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("is forgotten after a day, and removed", async () => {
    const body = { apiId: world.active, name: "x" };
    const first = await send("old", body);
    const age = (interval: string) =>
      store.queries.execute(sql`update answers set expires_at = expires_at - ${interval}::interval`);
    await age("23 hours 59 minutes");
    expect((await send("old", body)).body.data).toEqual(first.body.data);
    await age("1 minute");
    const second = await send("old", body);
    expect(second.body.data.keyId).not.toBe(first.body.data.keyId);
    // Those of the caller are gone already; those of others go with the next sweep.
    const left = () => store.queries.select().from(answers);
    expect((await left()).filter(({ keyId }) => keyId === world.admin.keyId)).toHaveLength(1);
    await age("24 hours");
    const stop = removeExpiredAnswers(store, { warn: () => {} }, 20);
    await until("all are removed", async () => (await left()).length === 0);
    stop();
  });

  test("is stored without a secret, and bound to its place", async () => {
    const one = await send("sealed-1", { apiId: world.active, name: "x" });
    await send("sealed-2", { apiId: world.active, name: "x" });
    const rows = await store.queries.select().from(answers);
    const stored = JSON.stringify(rows);
    const { key } = one.body.data;
    expect(stored).not.toContain("sealed-1");
    for (const secret of [key, world.admin.secret]) {
      for (const part of [secret, secret.slice(20)]) {
        expect(stored).not.toContain(part);
        for (const { sealed: text } of rows)
          expect(Buffer.from(text, "base64url").toString("latin1")).not.toContain(part);
      }
    }
    // An answer in the row of another one is not given.
    const [a, b] = rows.filter(({ keyId }) => keyId === world.admin.keyId);
    if (a === undefined || b === undefined) throw new Error("there are no two answers");
    await store.queries.update(answers).set({ sealed: a.sealed }).where(eq(answers.token, b.token));
    await store.queries.update(answers).set({ sealed: b.sealed }).where(eq(answers.token, a.token));
    expect(failureOf(await send("sealed-1", { apiId: world.active, name: "x" }))).toBe("422 idempotency_key_reused");
    expect(service.logged.join("")).not.toContain(key.slice(20));
    // They go with their key.
    await store.queries.delete(keys).where(eq(keys.id, world.admin.keyId));
    expect((await store.queries.select().from(answers)).filter(({ keyId }) => keyId === world.admin.keyId)).toEqual([]);
  });
});

test("a sealed text opens with its secret, at its place, and undamaged", () => {
  const options = { secret: "kw_secret", about: "here" };
  const text = sealed("täxt", options);
  expect(opened(text, options)).toBe("täxt");
  expect(sealed("täxt", options)).not.toBe(text);
  expect(opened(text, { ...options, secret: "kw_other" })).toBeUndefined();
  expect(opened(text, { ...options, about: "there" })).toBeUndefined();
  const bytes = Buffer.from(text, "base64url");
  for (let i = 0; i < bytes.length; i++) {
    const damaged = Buffer.from(bytes);
    damaged[i] = (damaged[i] ?? 0) ^ 1;
    expect(opened(damaged.toString("base64url"), options)).toBeUndefined();
  }
  for (let length = 0; length < bytes.length; length++) {
    expect(opened(bytes.subarray(0, length).toString("base64url"), options)).toBeUndefined();
  }
});
