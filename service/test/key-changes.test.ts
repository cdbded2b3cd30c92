/** A key gets another secret, name, reach or expiry, and an outdated change is refused. */

import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { verifyAudit } from "../src/audit-log.js";
import { requestLimits } from "../src/http/rate-limit.js";
import { etagOf, isMatch } from "../src/operations/etag.js";
import { accounts, keys } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { failureOf, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("changes of keys", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  useService(open, (made) => ({ store, service, world } = made));

  const send: TestService["call"] = (...request) => service.call(...request);
  const code = async (...request: Parameters<typeof send>) => failureOf(await send(...request));
  const made = async (more: object = {}) => {
    const body = { apiId: world.active, name: "x", roles: ["viewer"], ...more };
    return (await send("/v1/keys.createKey", world.admin.secret, body)).body.data;
  };
  const works = async (secret: string) => (await send("/v2/keys.whoami", secret, {})).status === 200;
  const REROLL = "/v2/keys.rerollKey";
  const UPDATE = "/v2/keys.updateKey";

  describe("another secret", () => {
    test("ends the old one at once, and leaves all the rest as it was", async () => {
      const { key: old, ...view } = await made({
        externalId: "customer_1",
        productPermissions: ["a.b"],
        meta: { tier: "gold" },
      });
      const child = await send("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "c" });
      expect(child.status).toBe(200);
      const { keyId } = view;
      const { key, oldSecretUntil, ...after } = (await send(REROLL, world.admin.secret, { keyId })).body.data;
      expect([after, oldSecretUntil]).toEqual([view, null]);
      expect([await works(old), await works(key)]).toEqual([false, true]);
      expect(key.slice(0, 20)).toBe(old.slice(0, 20));
      expect(service.logged.join("")).not.toContain(key.slice(20));
      expect((await verifyAudit(store)).faults).toEqual([]);
    });

    test("works beside the old one for the time of grace, and ends the one before", async () => {
      const { key: first, keyId } = await made();
      const reroll = async (graceSeconds: number) =>
        (await send(REROLL, world.admin.secret, { keyId, graceSeconds })).body.data;
      const second = await reroll(3_600);
      expect(Date.parse(second.oldSecretUntil) - Date.now()).toBeGreaterThan(3_500_000);
      expect([await works(first), await works(second.key)]).toEqual([true, true]);
      const verify = async (key: string) =>
        (await send("/v2/keys.verifyKey", world.admin.secret, { key })).body.data.valid;
      expect([await verify(first), await verify(second.key)]).toEqual([true, true]);
      await store.queries
        .update(keys)
        .set({ oldUntil: new Date(Date.now() - 1) })
        .where(eq(keys.id, keyId));
      expect([await works(first), await works(second.key), await verify(first)]).toEqual([false, true, false]);
      const third = await reroll(3_600);
      expect([await works(first), await works(second.key), await works(third.key)]).toEqual([false, true, true]);
      const fourth = await reroll(60);
      const all = [first, second.key, third.key, fourth.key];
      expect(await Promise.all(all.map(works))).toEqual([false, false, true, true]);
      await send("/v2/keys.revokeKey", world.admin.secret, { keyId });
      expect(await Promise.all(all.map(works))).toEqual([false, false, false, false]);
    });

    test("is refused to those who lack a power of the key, or the permission to create or to update", async () => {
      const { keyId } = await made();
      const custom = async (permissions: string[]) =>
        (await add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], permissions })))
          .secret;
      const lacking = "403 insufficient_permissions";
      const reads = ["workspace.*.read_api", "api.*.read_api", "api.*.read_key", "api.*.verify_key"];
      expect(await code(REROLL, world.viewer.secret, { keyId })).toBe(lacking);
      expect(await code(REROLL, await custom([...reads, "api.*.update_key"]), { keyId })).toBe(lacking);
      expect(await code(REROLL, await custom([...reads, "api.*.create_key"]), { keyId })).toBe(lacking);
      expect(await code(REROLL, await custom(["api.*.update_key", "api.*.create_key"]), { keyId })).toBe(lacking);
      expect(await code(REROLL, world.editor.secret, { keyId: world.admin.keyId })).toBe(lacking);
      expect(await code(REROLL, await custom([...reads, "api.*.update_key", "api.*.create_key"]), { keyId })).toBe(
        "ok",
      );
      expect(await code(REROLL, world.editor.secret, { keyId })).toBe("ok");
      expect(await code(REROLL, world.editor.secret, { keyId: world.editor.keyId, graceSeconds: 60 })).toBe("ok");
    });

    test("needs no place in the quota, and is forbidden where keys may not be changed", async () => {
      const full = await newAccount(store, { limitKeys: 3 });
      const admin = full.admin.secret;
      expect(await code("/v1/keys.createKey", admin, { apiId: full.active, name: "x" })).toBe("403 forbidden");
      expect(await code(REROLL, admin, { keyId: full.viewer.keyId })).toBe("ok");
      const states = async (state: "revoked" | "disabled") => {
        const { keyId } = await add(store, full, (things) =>
          things.key(full.active, { name: "x", roles: ["viewer"], state }),
        );
        return await code(REROLL, admin, { keyId });
      };
      expect([await states("disabled"), await states("revoked")]).toEqual(["ok", "403 forbidden"]);
      const status = (to: "suspended" | "active") =>
        store.queries.update(accounts).set({ status: to }).where(eq(accounts.id, full.accountId));
      await status("suspended");
      expect(await code(REROLL, admin, { keyId: full.viewer.keyId })).toBe("403 forbidden");
      await status("active");
      const { key } = (await send(REROLL, admin, { keyId: full.admin.keyId })).body.data;
      expect([await works(admin), await works(key)]).toEqual([false, true]);
    });

    test("leaves a refusal that names the permission to create keys", async () => {
      const { keyId } = await made();
      const permissions = [
        "workspace.*.read_api",
        "api.*.read_api",
        "api.*.read_key",
        "api.*.verify_key",
        "api.*.update_key",
      ];
      const updater = await add(store, world, (things) =>
        things.key(world.system, { name: "x", roles: ["custom"], permissions }),
      );
      expect(await code(REROLL, updater.secret, { keyId })).toBe("403 insufficient_permissions");
      expect(service.records.at(-1)).toMatchObject({
        ...{ operation: "keys.updateKey", outcome: "insufficient_permissions" },
        exceeding: { operation: "keys.createKey", kind: "api", id: world.active },
      });
    });

    test("is given again to a repeated request", async () => {
      const { keyId } = await made();
      const once = { headers: { "idempotency-key": "reroll" } };
      const [one, two] = [
        await send(REROLL, world.admin.secret, { keyId }, once),
        await send(REROLL, world.admin.secret, { keyId }, once),
      ];
      expect(two.body.data).toEqual(one.body.data);
      expect(await works(two.body.data.key)).toBe(true);
    });
  });

  describe("an update", () => {
    test("changes the name, the reach, the expiry and what belongs to the owner", async () => {
      const { keyId, key } = await made();
      const more = await send("/v2/workspaces.createWorkspace", world.admin.secret, {
        ...{ name: "More", environment: "production" },
      });
      const change = {
        ...{ name: "Renamed", workspaceIds: [more.body.data.workspaceId], expiresAt: "2099-01-01T00:00:00.000Z" },
        ...{ externalId: "customer_2", meta: { zone: "eu", a: "b" }, productPermissions: ["documents.read", "a:*"] },
      };
      const updated = await send(UPDATE, world.admin.secret, { keyId, ...change });
      expect(updated.body.data).toMatchObject(change);
      const read = await send("/v2/keys.getKey", world.admin.secret, { keyId });
      expect(read.body.data).toEqual(updated.body.data);
      expect(read.headers.get("etag")).toBe(updated.headers.get("etag"));
      expect((await send("/v2/keys.whoami", key, {})).body.data).toMatchObject({ name: "Renamed" });
      expect(await code("/v2/apis.getApi", key, { apiId: world.active })).toBe("403 insufficient_permissions");
      const none = { expiresAt: null, externalId: null, meta: null };
      expect((await send(UPDATE, world.admin.secret, { keyId, ...none })).body.data).toMatchObject(none);
      const wrong = [
        { expiresAt: "2001-01-01T00:00:00Z" },
        { workspaceIds: ["ws_none"] },
        { name: "" },
        { meta: { "a b": "" } },
        { productPermissions: ["a b"] },
        { productPermissions: ["a", "a"] },
      ];
      const proto = `{"keyId":"${keyId}","meta":{"__proto__":"x"}}`;
      const refused = await service.call(UPDATE, world.admin.secret, proto);
      expect(failureOf(refused)).toBe("400 invalid_body");
      for (const body of wrong)
        expect(await code(UPDATE, world.admin.secret, { keyId, ...body })).toBe("400 invalid_body");
    });

    test("widens no reach, and revives no key, beyond its maker", async () => {
      const scoped = await add(store, world, (things) =>
        things.key(world.system, { name: "x", roles: ["admin"], workspaceIds: [world.workspaceId] }),
      );
      const { keyId } = await made();
      const lacking = "403 insufficient_permissions";
      expect(await code(UPDATE, scoped.secret, { keyId, workspaceIds: ["*"] })).toBe(lacking);
      expect(await code(UPDATE, scoped.secret, { keyId, workspaceIds: [] })).toBe("ok");
      expect(await code(UPDATE, scoped.secret, { keyId, workspaceIds: [world.workspaceId] })).toBe("ok");
      const expired = await add(store, world, (things) =>
        things.key(world.active, { name: "x", roles: ["admin"], expiresAt: new Date(Date.now() - 1_000) }),
      );
      const revive = { keyId: expired.keyId, expiresAt: null };
      expect(await works(expired.secret)).toBe(false);
      expect(await code(UPDATE, world.editor.secret, revive)).toBe(lacking);
      expect(await works(expired.secret)).toBe(false);
      expect(await code(UPDATE, world.admin.secret, revive)).toBe("ok");
      expect(await works(expired.secret)).toBe(true);
    });

    test("does not let the last administrator expire, or lose its reach", async () => {
      const alone = await newAccount(store);
      const { keyId, secret } = alone.admin;
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      for (const change of [{ expiresAt: soon }, { workspaceIds: [alone.workspaceId] }]) {
        expect(await code(UPDATE, secret, { keyId, ...change })).toBe("403 forbidden");
      }
      expect(await code(UPDATE, secret, { keyId, name: "Still here", workspaceIds: ["*"], expiresAt: null })).toBe(
        "ok",
      );
      await add(store, alone, (things) => things.key(alone.system, { name: "x", roles: ["admin"] }));
      expect(await code(UPDATE, secret, { keyId, expiresAt: soon })).toBe("ok");
    });

    test("of another version is refused, and changes nothing", async () => {
      const { keyId } = await made();
      const read = async () => (await send("/v2/keys.getKey", world.admin.secret, { keyId })).headers.get("etag") ?? "";
      const first = await read();
      expect(first).toMatch(/^"[0-9a-f]{32}"$/);
      const rename = (name: string, ifMatch: string) =>
        send(UPDATE, world.admin.secret, { keyId, name }, { headers: { "if-match": ifMatch } });
      const renamed = await rename("one", first);
      expect(failureOf(renamed)).toBe("ok");
      expect(renamed.headers.get("etag")).toBe(await read());
      const failed = "412 precondition_failed";
      expect(failureOf(await rename("two", first))).toBe(failed);
      expect(failureOf(await rename("two", `W/${await read()}`))).toBe(failed);
      expect(failureOf(await rename("two", "nonsense"))).toBe(failed);
      const stale = { headers: { "if-match": first } };
      expect(await code(REROLL, world.admin.secret, { keyId }, stale)).toBe(failed);
      expect(await code("/v2/keys.deleteKey", world.admin.secret, { keyId }, stale)).toBe(failed);
      // A caller without the permission does not learn the version.
      expect(await code(UPDATE, world.viewer.secret, { keyId, name: "x" }, stale)).toBe("403 insufficient_permissions");
      expect((await send("/v2/keys.getKey", world.admin.secret, { keyId })).body.data.name).toBe("one");
      expect(failureOf(await rename("two", `"other", ${await read()}`))).toBe("ok");
      expect(failureOf(await rename("three", "*"))).toBe("ok");
      const api = { apiId: world.active };
      const tag = (await send("/v2/apis.getApi", world.admin.secret, api)).headers.get("etag") ?? "";
      const protect = (deleteProtection: boolean) =>
        code("/v2/apis.updateApi", world.admin.secret, { ...api, deleteProtection }, { headers: { "if-match": tag } });
      expect([await protect(true), await protect(false)]).toEqual(["ok", failed]);
      expect((await verifyAudit(store)).faults).toEqual([]);
    });

    test("whose If-Match the operation does not take is refused, for those with a key", async () => {
      const { keyId } = await made();
      const any = { headers: { "if-match": "*" } };
      const unexpected = "400 unexpected_precondition";
      expect(await code("/v2/keys.revokeKey", world.admin.secret, { keyId }, any)).toBe(unexpected);
      expect(await code("/v2/keys.getKey", world.admin.secret, { keyId }, any)).toBe(unexpected);
      const create = { apiId: world.active, name: "x" };
      expect(await code("/v1/keys.createKey", world.admin.secret, create, any)).toBe(unexpected);
      expect(await code("/v2/keys.revokeKey", "kw_no", { keyId }, any)).toBe("401 invalid_key");
      const read = await send("/v2/keys.getKey", world.admin.secret, { keyId });
      expect(read.body.data.state).toBe("enabled");
    });

    test("of two at a time, one is refused", async () => {
      const { keyId } = await made();
      const etag = (await send("/v2/keys.getKey", world.admin.secret, { keyId })).headers.get("etag") ?? "";
      const both = await Promise.all(
        ["one", "two"].map((name) =>
          code(UPDATE, world.admin.secret, { keyId, name }, { headers: { "if-match": etag } }),
        ),
      );
      expect(both.sort()).toEqual(["412 precondition_failed", "ok"]);
    });
  });

  test("verifying asks about permissions in the owner's product, and takes no credit for those that are lacking", async () => {
    const productPermissions = ["documents.read", "documents.*"];
    const { key, keyId, ...view } = await made({ productPermissions, credits: { remaining: 2 } });
    expect(view).toMatchObject({ productPermissions });
    const verify = async (needed: readonly string[], more: object = {}) => {
      const body = { key, productPermissions: needed, ...more };
      const { data } = (await send("/v2/keys.verifyKey", world.admin.secret, body)).body;
      return [data.valid, data.code, data.credits.remaining];
    };
    expect(await verify(["documents.read"], { cost: 0 })).toEqual([true, "valid", 2]);
    expect(await verify(productPermissions, { cost: 0 })).toEqual([true, "valid", 2]);
    // Names are compared as they are.
    for (const lacking of ["documents.write", "documents", "DOCUMENTS.READ", "constructor"]) {
      expect(await verify(["documents.read", lacking])).toEqual([false, "insufficient_permissions", 2]);
    }
    const may = { operation: "apis.getApi", apiId: world.active };
    expect(await verify(["other"], { may })).toEqual([false, "insufficient_permissions", 2]);
    expect(await code("/v2/keys.verifyKey", world.admin.secret, { key, productPermissions: [""] })).toBe(
      "400 invalid_body",
    );
    await send(UPDATE, world.admin.secret, { keyId, productPermissions: [] });
    expect(await verify(["documents.read"])).toEqual([false, "insufficient_permissions", 2]);
    expect(await verify([])).toEqual([true, "valid", 1]);
    // They give nothing in this service, and a key that is not valid is not looked at further.
    await send(UPDATE, world.admin.secret, { keyId, productPermissions: ["api.*.update_api"] });
    const change = { apiId: world.active, deleteProtection: true };
    expect(await code("/v2/apis.updateApi", key, change)).toBe("403 insufficient_permissions");
    await send(UPDATE, world.admin.secret, { keyId, state: "disabled" });
    expect(await verify(["other"])).toEqual([false, "disabled", 1]);
  });

  test("verifying tells why a key is not valid, what is left of its limit, and whose it is", async () => {
    const limited = await testService(store, { limits: requestLimits({ key: { perSecond: 0.001, burst: 3 } }) });
    const { key, keyId } = await made({ externalId: "customer_3", meta: { tier: "gold" } });
    const verify = async () => (await limited.call("/v2/keys.verifyKey", world.admin.secret, { key })).body.data;
    const rateLimit = (remaining: number) => ({ limit: 0.001, remaining });
    expect(await verify()).toEqual({
      ...{ valid: true, code: "valid", keyId, outcome: null, rateLimit: rateLimit(3) },
      ...{ credits: null, externalId: "customer_3", meta: { tier: "gold" }, productPermissions: [] },
    });
    for (let i = 0; i < 3; i++) await limited.call("/v2/keys.whoami", key, {});
    expect((await verify()).rateLimit).toEqual(rateLimit(0));
    await store.queries.execute(sql`update keys set state = 'disabled' where id = ${keyId}`);
    expect(await verify()).toMatchObject({ valid: false, code: "disabled", keyId });
  });
});

test("entity tags differ with what they stand for, and match as RFC 9110 says", () => {
  const tag = etagOf({ a: 1 });
  expect(etagOf({ a: 1 })).toBe(tag);
  expect(etagOf({ a: 2 })).not.toBe(tag);
  expect(["*", " * ", tag, `"x", ${tag}`, `"x",${tag},"y"`].map((field) => isMatch(field, tag))).toEqual(
    Array(5).fill(true),
  );
  expect(["", "x", `W/${tag}`, tag.slice(1), `"${tag}"`].map((field) => isMatch(field, tag))).toEqual(
    Array(5).fill(false),
  );
});
