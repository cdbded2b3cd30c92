/**
 * PgBouncer in transaction mode: consecutive statements of a connection reach different sessions of PostgreSQL.
 *
 * @module-tag long
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../test/support/size.js";
import { verifyAudit } from "../src/audit-log.js";
import { MigrationsMissing } from "../src/store/migrations.js";
import { openPostgres, type PostgresOptions } from "../src/store/postgres.js";
import type { Store } from "../src/store/store.js";
import { NO_POSTGRES, newDatabase, openPostgresAt, skipped } from "./support/databases.js";
import { NO_PGBOUNCER, type Pooler, startPgbouncer } from "./support/pgbouncer.js";
import { testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

const missing = NO_POSTGRES ?? NO_PGBOUNCER;

describe.skipIf(missing !== undefined)(`behind a transaction pooler${skipped(missing)}`, () => {
  let direct: Store;
  let pooler: Pooler;
  let world: World;
  const pooled = (options: Partial<PostgresOptions> = {}) =>
    openPostgres({
      ...{ url: pooler.url, connections: 10, timeoutMs: 30_000, onError: () => {} },
      ...{ hasSessions: false, migrations: "refuse" },
      ...options,
    });
  beforeAll(async () => {
    const url = await newDatabase();
    direct = await openPostgresAt(url);
    world = await newAccount(direct, { limitKeys: 100_000 });
    pooler = await startPgbouncer(url, 3);
  });
  afterAll(async () => {
    await pooler.stop();
    await direct.close();
  });

  test("every request is answered as on sessions, at the same time, too", async () => {
    const store = await pooled();
    try {
      const service = await testService(store);
      const { admin, viewer, active } = world;
      const rounds = Array.from({ length: sized(400) });
      const answers = await Promise.all(
        rounds.map(async () => [
          (await service.call("/v1/keys.createKey", admin.secret, { apiId: active, name: "x" })).status,
          (await service.call("/v2/apis.deleteApi", viewer.secret, { apiId: active })).status,
          (await service.call("/v2/apis.listKeys", admin.secret, { apiId: active })).status,
          (await service.app.request("/readyz")).status,
        ]),
      );
      expect(answers).toEqual(rounds.map(() => [200, 403, 200, 200]));
      const { faults, entries } = await verifyAudit(store);
      expect([faults, entries]).toEqual([[], 2 * rounds.length]);
    } finally {
      await store.close();
    }
  });

  test("without the option, its sessions are refused: 503, and no change", async () => {
    const store = await pooled({ hasSessions: true, migrations: "run" });
    try {
      const service = await testService(store);
      const body = { apiId: world.active, name: "x" };
      expect((await service.call("/v1/keys.createKey", world.admin.secret, body)).status).toBe(503);
    } finally {
      await store.close();
    }
  });
});

describe.skipIf(NO_POSTGRES !== undefined)(`without migrations${skipped(NO_POSTGRES)}`, () => {
  test("an empty database is refused, and a migrated one is opened", async () => {
    const url = await newDatabase();
    const options = { url, connections: 2, timeoutMs: 30_000, onError: () => {}, migrations: "refuse" } as const;
    await expect(openPostgres(options)).rejects.toThrow(MigrationsMissing);
    await (await openPostgresAt(url)).close();
    const store = await openPostgres(options);
    await store.run(
      { name: "behind", text: "update drizzle.__drizzle_migrations set created_at = 1", isOwn: true },
      [],
    );
    await store.close();
    await expect(openPostgres(options)).rejects.toThrow(/run the command migrate/);
  });
});
