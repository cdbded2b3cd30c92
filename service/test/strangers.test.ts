/** Callers without a valid key cost little, and callers that have left change nothing. */

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { KeyLookups } from "../src/http/key-lookups.js";
import { requestLimits } from "../src/http/rate-limit.js";
import { NoTurn } from "../src/http/turns.js";
import { keys } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { until } from "./support/process.js";
import { raw, serverFor } from "./support/server.js";
import { type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("strangers", (open) => {
  let store: Store;
  let world: World;
  beforeAll(async () => {
    store = await open();
    world = await newAccount(store);
  });
  afterAll(() => store.close());

  /** Sends a body in pieces; `pulled` counts those that were read. */
  const stream = async ({ app }: TestService, key: string) => {
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          if (++pulled > 16) controller.close();
          else controller.enqueue(new Uint8Array(4_096).fill(0x20));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const request = new Request("http://x/v2/keys.whoami", { method: "POST", headers, body, duplex: "half" });
    const { status } = await app.request(request);
    return { status, pulled };
  };
  const unseen = () => add(store, world, (things) => things.key(world.system, { name: "x", roles: ["viewer"] }));

  test("have no body read, whether the key is malformed, unknown or no longer valid", async () => {
    const service = await testService(store);
    const { secret, keyId } = await unseen();
    expect(await stream(service, secret)).toEqual({ status: 400, pulled: 17 });
    const unknown = `kw_${"0".repeat(16)}_${"A".repeat(43)}`;
    for (const key of ["junk", unknown, `${secret.slice(0, 20)}${"A".repeat(43)}`]) {
      expect(await stream(service, key)).toEqual({ status: 401, pulled: 0 });
    }
    await store.queries.update(keys).set({ state: "disabled" }).where(eq(keys.id, keyId));
    // Its body is read once more, as the key was valid a moment ago; then it is a stranger's.
    expect((await service.call("/v2/keys.whoami", secret, {})).status).toBe(401);
    expect(await stream(service, secret)).toEqual({ status: 401, pulled: 0 });
  });

  test("do not keep a valid key waiting that was not seen before", async () => {
    const { secret } = await unseen();
    let lookups = 0;
    const service = await testService(store, {
      store: {
        ...store,
        run: async (statement, values) => {
          if (statement.name === "key_proofs") {
            lookups++;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          return await store.run(statement, values);
        },
      },
    });
    const prefix = (i: number) => i.toString(16).padStart(16, "0");
    const junk = Array.from({ length: 300 }, (_, i) =>
      service.call("/v2/keys.whoami", `kw_${prefix(i)}_${"A".repeat(43)}`, {}),
    );
    const { status } = await service.call("/v2/keys.whoami", secret, {});
    expect(status).toBe(200);
    expect(lookups).toBeLessThanOrEqual(2);
    expect(new Set((await Promise.all(junk)).map((answer) => answer.status))).toEqual(new Set([401]));
    expect(lookups).toBeLessThanOrEqual(2);
  });

  test("are limited by their address, and others of the same account or key by those", async () => {
    const few = { perSecond: 0.001, burst: 3 };
    const statuses = async (
      options: Parameters<typeof requestLimits>[0],
      calls: readonly (readonly [key: string, address: string])[],
    ) => {
      const { call } = await testService(store, { limits: requestLimits(options) });
      const answers = [];
      for (const [key, remoteAddress] of calls) answers.push(await call("/v2/keys.whoami", key, {}, { remoteAddress }));
      return answers;
    };
    const told = (answers: Awaited<ReturnType<typeof statuses>>) =>
      answers.map(({ status, body }) => (status === 429 ? body.error.detail : status));
    const { admin, viewer } = world;
    const other = await newAccount(store);
    const byAddress = await statuses({ address: few }, [
      ["junk", "2001:db8::1"],
      [admin.secret, "2001:db8::2"],
      ["junk", "2001:db8:0:0:ffff::1"],
      [admin.secret, "2001:db8::1"],
      [admin.secret, "2001:db8:0:1::1"],
    ]);
    expect(told(byAddress)).toEqual([401, 200, 401, "The address makes too many requests", 200]);
    const limited = byAddress[3];
    expect(limited?.headers.get("retry-after")).toBe("1000");
    expect(limited?.body.error).toMatchObject({ status: 429, title: "Too Many Requests" });
    const byAccount = [admin, viewer, admin, viewer, other.admin].map(({ secret }) => [secret, "a"] as const);
    const account = "The account makes too many requests";
    expect(told(await statuses({ account: few }, byAccount))).toEqual([200, 200, 200, account, 200]);
    const byKey = [admin, admin, admin, admin, viewer].map(({ secret }) => [secret, "a"] as const);
    const key = "The API key makes too many requests";
    expect(told(await statuses({ key: few }, byKey))).toEqual([200, 200, 200, key, 200]);
  });

  test("leave their address in the record of a decision and in the audit chain", async () => {
    const service = await testService(store);
    const body = { apiId: world.active };
    await service.call("/v2/apis.deleteApi", world.viewer.secret, body, { remoteAddress: "192.0.2.7" });
    expect(service.records.at(-1)).toMatchObject({ operation: "apis.deleteApi", address: "192.0.2.7" });
    const rows = await store.queries.query.audit.findMany();
    expect(rows.at(-1)?.entry).toContain('"address":"192.0.2.7"');
  });

  test("that left while they waited make no key", async () => {
    let release = () => {};
    let waits = 0;
    const held = new Promise<void>((resolve) => (release = resolve));
    const service = await testService(store, {
      decisionLog: {
        write: async () => {
          if (waits++ === 0) await held;
        },
        ping: async () => {},
        reopen: () => {},
        close: async () => {},
      },
    });
    const server = await serverFor(service);
    const countOfKeys = async () =>
      (await store.queries.select().from(keys).where(eq(keys.apiId, world.active))).length;
    const before = await countOfKeys();
    const body = JSON.stringify({ apiId: world.active, name: "nobody's" });
    const head = `POST /v1/keys.createKey HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer ${world.admin.secret}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const first = service.call("/v1/keys.createKey", world.admin.secret, body);
    await until("the first is being recorded", () => waits === 1);
    const gone = Array.from({ length: 20 }, () => raw(server.baseUrl, [head + body], 1_000));
    await Promise.all(gone);
    const left = () => service.logged.filter((line) => line.includes('"outcome":"caller_gone"')).length;
    release();
    // The last one waits for all before it.
    const last = await service.call("/v1/keys.createKey", world.admin.secret, body);
    expect([(await first).status, last.status]).toEqual([200, 200]);
    await server.close(1_000);
    expect(left()).toBeGreaterThan(0);
    expect(await countOfKeys()).toBe(before + 2);
    expect(waits).toBe(2);
  });
});

test("look-ups that come during another are one, and give up in time", async () => {
  const asked: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const run = async <Row extends object>(_: unknown, [prefixes]: readonly unknown[]): Promise<readonly Row[]> => {
    asked.push([prefixes].flat().map(String));
    await new Promise<void>((resolve) => ends.push(resolve));
    return [];
  };
  const lookups = new KeyLookups({ run }, 60_000);
  const all = [lookups.find("a"), lookups.find("b")];
  await until("the first asks", () => asked.length === 1);
  all.push(lookups.find("c"), lookups.find("d"), lookups.find("c"));
  ends[0]?.();
  await until("the second asks", () => asked.length === 2);
  ends[1]?.();
  expect(await Promise.all(all)).toEqual(Array(5).fill(undefined));
  expect(asked).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  const hasty = new KeyLookups({ run }, 20);
  void hasty.find("a");
  await until("it hangs", () => asked.length === 3);
  await expect(hasty.find("b")).rejects.toThrow(NoTurn);
  ends[2]?.();
});
