/**
 * A store that goes away and comes back: the process survives, and the next request succeeds.
 *
 * @module-tag long
 */

import { sql } from "drizzle-orm";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../src/store/postgres.js";
import type { Store } from "../src/store/store.js";
import { NO_POSTGRES, newDatabase, skipped } from "./support/databases.js";
import { until } from "./support/process.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

describe.skipIf(NO_POSTGRES !== undefined)(`connections that break${skipped(NO_POSTGRES)}`, () => {
  let store: Store;
  let service: TestService;
  let world: World;
  let admin: Client;
  const broken: Error[] = [];
  beforeAll(async () => {
    const url = await newDatabase();
    store = await openPostgres({ url, connections: 4, timeoutMs: 10_000, onError: (error) => broken.push(error) });
    service = await testService(store);
    world = await newAccount(store);
    admin = new Client({ connectionString: url });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await store.close();
  });

  const terminateOthers = () =>
    admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  const create = () =>
    service.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x" }).then((a) => a.status);

  test("while it is in use: what used it fails, and nothing else does", async () => {
    const work = store.transaction(async (queries) => {
      await queries.execute(sql`select 1`);
      broken.length = 0;
      await terminateOthers();
      // The error arrives between two queries of the transaction.
      await until("the connection is known to be broken", () => broken.length > 0);
      await queries.execute(sql`select 1`);
    });
    await expect(work).rejects.toThrow();
    expect(await create()).toBe(200);
  });

  test("while it is idle", async () => {
    await Promise.all(Array.from({ length: 8 }, create));
    broken.length = 0;
    await terminateOthers();
    const statuses = new Set<number>();
    await until("it is served again", async () => {
      const status = await create();
      statuses.add(status);
      return status === 200;
    });
    expect(broken.length).toBeGreaterThan(0);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
