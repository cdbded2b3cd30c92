/**
 * No account makes another one wait, and a change applies to the same state that was decided on.
 *
 * @module-tag long
 */

import { eq } from "drizzle-orm";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyAudit } from "../src/audit-log.js";
import { AccountWrites } from "../src/http/account-writes.js";
import { AccountsOfKeys, NoTurn, Turns } from "../src/http/turns.js";
import { openPostgres } from "../src/store/postgres.js";
import { accounts } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores, NO_POSTGRES, newDatabase, skipped } from "./support/databases.js";
import { until } from "./support/process.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

describe.skipIf(NO_POSTGRES !== undefined)(`an account that is locked${skipped(NO_POSTGRES)}`, () => {
  let store: Store;
  let service: TestService;
  let locked: World;
  let other: World;
  let holder: Client;
  beforeAll(async () => {
    const url = await newDatabase();
    store = await openPostgres({ url, connections: 4, timeoutMs: 60_000, onError: () => {} });
    service = await testService(store);
    [locked, other] = [await newAccount(store), await newAccount(store)];
    holder = new Client({ connectionString: url });
    await holder.connect();
  });
  afterAll(async () => {
    await holder.end();
    await store.close();
  });

  /**
   * The number of connections that wait for a lock. Clearing the snapshot makes the transaction see the current state.
   */
  const waiting = async () => {
    await holder.query("select pg_stat_clear_snapshot()");
    const all = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    return (await holder.query(all)).rows.length;
  };

  test("keeps its writers waiting, and nobody of another account", async () => {
    // The first request of an account makes it known.
    for (const { viewer } of [locked, other]) await service.call("/v2/keys.whoami", viewer.secret, {});
    await service.call("/v2/keys.whoami", locked.admin.secret, {});
    await holder.query("begin");
    await holder.query("select 1 from accounts where id = $1 for update", [locked.accountId]);
    let made = 0;
    const writers = Array.from({ length: 30 }, async () => {
      const body = { apiId: locked.active, name: "x" };
      const { status } = await service.call("/v1/keys.createKey", locked.admin.secret, body);
      made++;
      return status;
    });
    await until("one waits for the lock", async () => (await waiting()) > 0);
    // While the lock is held, the other account can read and write.
    const read = await service.call("/v2/keys.whoami", other.viewer.secret, {});
    const written = await service.call("/v1/keys.createKey", other.admin.secret, { apiId: other.active, name: "x" });
    expect([read.status, written.status, made]).toEqual([200, 200, 0]);
    expect(await waiting()).toBe(1);
    await holder.query("rollback");
    expect(new Set(await Promise.all(writers))).toEqual(new Set([200]));
  });

  test("has refusals of two replicas waiting for the end of its chain, and they are one chain", async () => {
    const replicas = [service, await testService(store)];
    await holder.query("begin");
    await holder.query("select 1 from audit_heads where account_id = $1 for update", [locked.accountId]);
    const refusals = replicas.flatMap(({ call }) =>
      Array.from({ length: 3 }, async () => {
        const { status } = await call("/v2/apis.deleteApi", locked.viewer.secret, { apiId: locked.active });
        return status;
      }),
    );
    await until("both wait for the lock", async () => (await waiting()) === 2);
    await holder.query("rollback");
    expect(await Promise.all(refusals)).toEqual(Array(6).fill(403));
    expect((await verifyAudit(store)).faults).toEqual([]);
  });
});

describeStores("what is decided on is what is changed", (open) => {
  test("an account that changes between the decision and the change is decided on again", async () => {
    const store = await open();
    try {
      const world = await newAccount(store);
      let before: () => Promise<unknown> = async () => {};
      const slow = await testService(store, {
        // The decision log is written between the decision and the change.
        decisionLog: {
          write: async () => {
            const once = before;
            before = async () => {};
            await once();
          },
          ping: async () => {},
          reopen: () => {},
          close: async () => {},
        },
      });
      const create = () => slow.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x" });
      const suspend = (status: "suspended" | "active") =>
        store.queries.update(accounts).set({ status }).where(eq(accounts.id, world.accountId));
      before = () => suspend("suspended");
      const refused = await create();
      expect([refused.status, refused.body.error?.type.split("/").at(-1)]).toEqual([403, "forbidden"]);
      await suspend("active");
      before = () => suspend("active");
      expect((await create()).status).toBe(200);
      const api = await slow.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
      expect(api.body.data.keyCount).toBe(1);
    } finally {
      await store.close();
    }
  });
});

test("turns: so many of a lane at a time, in order, and lanes by themselves", async () => {
  const turns = new Turns(2, 60_000);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (lane: string, name: string) =>
    turns.run(lane, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = [work("a", "a1"), work("a", "a2"), work("a", "a3"), work("b", "b1"), work("a", "a4")];
  await Promise.resolve();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  ends.get("a2")?.();
  await until("the next begins", () => begun.length === 4);
  expect(begun.at(-1)).toBe("a3");
  for (const name of ["a1", "a3", "b1"]) ends.get(name)?.();
  await until("the last begins", () => ends.has("a4"));
  ends.get("a4")?.();
  await Promise.all(all);
  await expect(turns.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await turns.run("a", async () => 7)).toBe(7);
});

test("turns: who waits too long gives up, and takes no turn", async () => {
  const turns = new Turns(1, 20);
  let end = () => {};
  const begun: string[] = [];
  const work = (name: string) => async () => void begun.push(name);
  const first = turns.run("a", () => new Promise<void>((resolve) => (end = resolve)));
  await expect(turns.run("a", work("late"))).rejects.toThrow(NoTurn);
  const next = turns.run("a", work("next"));
  end();
  await Promise.all([first, next]);
  await turns.run("a", work("last"));
  expect(begun).toEqual(["next", "last"]);
});

test("of lanes as many are remembered as may be", () => {
  const lanes = new AccountsOfKeys(2);
  for (const prefix of ["a", "b", "c"]) lanes.learn(prefix, `acc_${prefix}`);
  expect(["a", "b", "c"].map((prefix) => lanes.of(prefix))).toEqual([undefined, "acc_b", "acc_c"]);
  lanes.forget("b");
  expect(lanes.of("b")).toBeUndefined();
});

describe("refusals of an account", () => {
  /** The entries of each write. */
  const written: (readonly string[])[] = [];
  const write = async (entries: readonly string[]) => void written.push([...entries]);
  const held = (writing: AccountWrites) => {
    let end = () => {};
    const turn = writing.run("a", () => new Promise<void>((resolve) => (end = resolve)));
    return async () => {
      end();
      await turn;
    };
  };
  beforeEach(() => written.splice(0));

  test("that wait for its turn are written at once, in order; those of others by themselves", async () => {
    const writing = new AccountWrites(60_000);
    const release = held(writing);
    const ofA = ["1", "2", "3"].map((entry) => writing.refused("a", entry, write));
    await writing.refused("b", "4", write);
    expect(written).toEqual([["4"]]);
    await release();
    await Promise.all(ofA);
    await writing.refused("a", "5", write);
    expect(written).toEqual([["4"], ["1", "2", "3"], ["5"]]);
  });

  test("that come while others are being written are not taken for written", async () => {
    const writing = new AccountWrites(60_000);
    let end = () => {};
    const first = writing.refused("a", "1", async (entries) => {
      written.push([...entries]);
      await new Promise<void>((resolve) => (end = resolve));
    });
    await until("it is being written", () => written.length === 1);
    const second = writing.refused("a", "2", write);
    end();
    await Promise.all([first, second]);
    expect(written).toEqual([["1"], ["2"]]);
  });

  test("that are not written fail, each of them, and those after them are written", async () => {
    const writing = new AccountWrites(60_000);
    const release = held(writing);
    const failing = ["1", "2"].map((entry) => writing.refused("a", entry, () => Promise.reject(new Error("no store"))));
    await release();
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.message)).toEqual(
      Array(2).fill("no store"),
    );
    await writing.refused("a", "3", write);
    expect(written).toEqual([["3"]]);
  });

  test("that wait too long give up, and are not written later", async () => {
    const writing = new AccountWrites(20);
    const release = held(writing);
    const late = ["1", "2"].map((entry) => writing.refused("a", entry, write));
    for (const each of late) await expect(each).rejects.toThrow(NoTurn);
    await release();
    await writing.refused("a", "3", write);
    expect(written).toEqual([["3"]]);
  });
});
