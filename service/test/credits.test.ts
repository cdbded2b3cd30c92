/** Credits of keys: each verification takes some, at once and once, until none are left or more are given. */

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { verifyAudit } from "../src/audit-log.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { failureOf, type TestService } from "./support/service.js";
import { add, type World } from "./support/world.js";

describeStores("credits of a key", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  useService(open, (made) => ({ store, service, world } = made));

  const made = async (credits?: object) => {
    const body = { apiId: world.active, name: "x", roles: ["viewer"], ...(credits && { credits }) };
    const { status, body: answer } = await service.call("/v1/keys.createKey", world.admin.secret, body);
    expect(status).toBe(200);
    return answer.data;
  };
  const verify = async (key: string, more: object = {}, by = world.admin.secret) => {
    const { status, body } = await service.call("/v2/keys.verifyKey", by, { key, ...more });
    expect(status).toBe(200);
    return body.data;
  };
  const update = (keyId: string, change: object, headers = {}) =>
    service.call("/v2/keys.updateKey", world.admin.secret, { keyId, ...change }, { headers });
  const read = (keyId: string) => service.call("/v2/keys.getKey", world.admin.secret, { keyId });

  test("are taken one by one, and then the key is not valid until there are more", async () => {
    const { key, keyId, credits } = await made({ remaining: 2 });
    expect(credits).toEqual({ remaining: 2, refill: null });
    const seen = [await verify(key), await verify(key), await verify(key), await verify(key)];
    expect(seen.map(({ valid, code, credits: { remaining } }) => [valid, code, remaining])).toEqual([
      [true, "valid", 1],
      [true, "valid", 0],
      [false, "usage_exceeded", 0],
      [false, "usage_exceeded", 0],
    ]);
    expect(seen[3]).toMatchObject({ keyId, outcome: null });
    expect((await read(keyId)).body.data.credits).toEqual({ remaining: 0, refill: null });
    // The key itself goes on making requests.
    expect((await service.call("/v2/keys.whoami", key, {})).status).toBe(200);
    await update(keyId, { credits: { remaining: 5 } });
    expect((await verify(key)).credits).toEqual({ remaining: 4 });
    expect((await update(keyId, { credits: null })).body.data.credits).toBe(null);
    expect(await verify(key)).toMatchObject({ valid: true, code: "valid", credits: null });
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("cost as many as the request says; 0 says what is left", async () => {
    const { key } = await made({ remaining: 5 });
    expect(await verify(key, { cost: 0 })).toMatchObject({ valid: true, credits: { remaining: 5 } });
    expect(await verify(key, { cost: 3 })).toMatchObject({ valid: true, credits: { remaining: 2 } });
    expect(await verify(key, { cost: 3 })).toMatchObject({ valid: false, credits: { remaining: 2 } });
    expect(await verify(key, { cost: 2 })).toMatchObject({ valid: true, credits: { remaining: 0 } });
    expect(await verify(key, { cost: 0 })).toMatchObject({ valid: true, credits: { remaining: 0 } });
    for (const cost of [-1, 0.5, 1_000_001, "1"]) {
      const answer = await service.call("/v2/keys.verifyKey", world.admin.secret, { key, cost });
      expect([cost, failureOf(answer)]).toEqual([cost, "400 invalid_body"]);
    }
  });

  test("are not spent twice by requests at a time", async () => {
    const { key } = await made({ remaining: 7 });
    const all = await Promise.all(Array.from({ length: 20 }, () => verify(key)));
    expect(all.filter(({ valid }) => valid)).toHaveLength(7);
    const left = all.flatMap(({ valid, credits }) => (valid ? [credits.remaining] : []));
    expect(left.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test("are not taken for what is refused, or from a key that is not valid", async () => {
    const { key, keyId } = await made({ remaining: 3 });
    const may = { operation: "keys.createKey", apiId: world.active };
    expect(await verify(key, { may })).toMatchObject({
      ...{ valid: true, outcome: "insufficient_permissions", credits: { remaining: 3 } },
    });
    const reading = { operation: "apis.getApi", apiId: world.active };
    expect(await verify(key, { may: reading })).toMatchObject({ outcome: "allow", credits: { remaining: 2 } });
    const none = await add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"] }));
    const refused = await service.call("/v2/keys.verifyKey", none.secret, { key });
    expect(failureOf(refused)).toBe("403 insufficient_permissions");
    await update(keyId, { state: "disabled" });
    expect(await verify(key)).toMatchObject({ valid: false, code: "disabled", credits: { remaining: 2 } });
    expect((await read(keyId)).body.data.credits.remaining).toBe(2);
  });

  test("are refilled at the beginning of a day or a month", async () => {
    const { key, keyId, credits } = await made({ remaining: 1, refill: { amount: 3, every: "day" } });
    expect(credits).toEqual({ remaining: 1, refill: { amount: 3, every: "day" } });
    const codes = async (times: number) => {
      const seen: string[] = [];
      for (let i = 0; i < times; i++) seen.push((await verify(key)).code);
      return seen;
    };
    expect(await codes(2)).toEqual(["valid", "usage_exceeded"]);
    const age = (interval: string) =>
      store.queries.execute(
        sql.raw(`update credits set refilled_at = refilled_at - interval '${interval}' where key_id = '${keyId}'`),
      );
    await age("1 day");
    expect((await read(keyId)).body.data.credits.remaining).toBe(3);
    expect(await codes(4)).toEqual(["valid", "valid", "valid", "usage_exceeded"]);
    await update(keyId, { credits: { remaining: 0, refill: { amount: 1, every: "month" } } });
    expect(await codes(1)).toEqual(["usage_exceeded"]);
    await age("32 days");
    expect(await codes(2)).toEqual(["valid", "usage_exceeded"]);
    // A change of something else leaves them alone.
    await update(keyId, { name: "renamed" });
    expect((await read(keyId)).body.data.credits).toEqual({ remaining: 0, refill: { amount: 1, every: "month" } });
  });

  test("that are taken are no change of the key: its version stays", async () => {
    const { key, keyId } = await made({ remaining: 5 });
    const etag = (await read(keyId)).headers.get("etag") ?? "";
    await verify(key);
    expect((await read(keyId)).headers.get("etag")).toBe(etag);
    expect(failureOf(await update(keyId, { name: "renamed" }, { "if-match": etag }))).toBe("ok");
    const next = (await read(keyId)).headers.get("etag") ?? "";
    await update(keyId, { credits: null });
    expect(failureOf(await update(keyId, { name: "again" }, { "if-match": next }))).toBe("412 precondition_failed");
  });

  test("are given with a new key again, by a repeated request", async () => {
    const body = { apiId: world.active, name: "x", credits: { remaining: 9 } };
    const send = () =>
      service.call("/v1/keys.createKey", world.admin.secret, body, { headers: { "idempotency-key": "credits" } });
    const [first, second] = [await send(), await send()];
    expect(second.body.data).toEqual(first.body.data);
    for (const credits of [
      {},
      { remaining: -1 },
      { remaining: 1, refill: { amount: 0, every: "day" } },
      { remaining: 1, refill: { amount: 1, every: "week" } },
    ]) {
      const answer = await service.call("/v1/keys.createKey", world.admin.secret, { ...body, credits });
      expect([credits, failureOf(answer)]).toEqual([credits, "400 invalid_body"]);
    }
  });

  test("are in the audit chain when they are set, and no secret is", async () => {
    const { keyId } = await made({ remaining: 4, refill: { amount: 2, every: "month" } });
    const { rows } = (await store.queries.execute(
      sql`select entry from audit where account_id = ${world.accountId} order by seq desc limit 1`,
    )) as unknown as { rows: { entry: string }[] };
    expect(JSON.parse(rows[0]?.entry ?? "{}").change).toMatchObject({
      ...{ keyId, credits: 4, refillAmount: 2, refillEvery: "month" },
    });
  });
});
