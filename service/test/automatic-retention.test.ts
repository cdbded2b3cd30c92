/**
 * Retention that the service applies by itself: in one replica at a time, with chains that stay verifiable.
 *
 * @module-tag long
 */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { readArchives } from "../src/audit-archive.js";
import { chainOf, verifyAudit } from "../src/audit-log.js";
import { readConfig } from "../src/config/config.js";
import { createLogger } from "../src/observability/logger.js";
import { applyRetention, retentionOf, startRetention } from "../src/retention.js";
import { keys } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores, NO_POSTGRES, newDatabase, openPostgresAt, skipped } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { until } from "./support/process.js";
import type { TestService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

const home = mkdtempSync(join(tmpdir(), "keyward-retention-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const DAY = 86_400_000;

describeStores("automatic retention", (open) => {
  let store: Store;
  let service: TestService;
  useService(open, (made) => ({ store, service } = made));

  const create = async ({ active, admin }: World) => {
    const { status } = await service.call("/v1/keys.createKey", admin.secret, { apiId: active, name: "x" });
    expect(status).toBe(200);
  };

  test("archives old entries and purges old records, and the chain stays verifiable", async () => {
    const world = await newAccount(store);
    for (let i = 0; i < 3; i++) await create(world);
    const { keyId } = await add(store, world, (things) => things.key(world.active, { name: "x", roles: ["viewer"] }));
    await service.call("/v2/keys.revokeKey", world.admin.secret, { keyId });
    const directory = mkdtempSync(join(home, "archives-"));
    const options = { audit: { days: 30, directory }, keys: { days: 10 } };
    const isThere = async () => (await store.queries.select().from(keys).where(eq(keys.id, keyId))).length === 1;
    const names = () => readdirSync(directory).sort();
    const after = (days: number) => applyRetention(store, options, Date.now() + days * DAY);

    expect(await after(0)).toEqual({ archived: 0, faults: 0, purged: 0 });
    expect([names(), await isThere()]).toEqual([[], true]);
    expect(await after(11)).toEqual({ archived: 0, faults: 0, purged: 1 });
    expect(await isThere()).toBe(false);
    // Three creates, the revocation and the purge.
    expect(await after(31)).toEqual({ archived: 5, faults: 0, purged: 0 });
    const entries: { operator?: string; command?: string }[] = [];
    for await (const { entry } of chainOf(store, world.accountId)) entries.push(JSON.parse(entry));
    expect(entries).toMatchObject([{ operator: "retention", command: "audit.archive" }]);
    await create(world);
    expect(await after(62)).toMatchObject({ archived: 2 });
    const archives = await readArchives(names().map((name) => join(directory, name)));
    expect([(await verifyAudit(store, archives)).faults, archives.repeated, names().length]).toEqual([[], 0, 2]);
  });

  test("logs what it did and what failed, and ends with the service", async () => {
    const lines: string[] = [];
    const write: Writable["write"] = (line: unknown) => lines.push(String(line)) > 0;
    const logger = createLogger("info", Object.assign(new Writable(), { write }));
    const directory = join(home, "made", store.description);
    const end = startRetention(store, { audit: { days: 30, directory } }, logger, 5);
    await until("it was applied twice", () => lines.filter((line) => line.includes("retention applied")).length >= 2);
    rmSync(directory, { recursive: true });
    await until("a failure is logged", () => lines.some((line) => line.includes("retention failed")));
    await end();
    const count = lines.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines).toHaveLength(count);
  });
});

test.skipIf(NO_POSTGRES !== undefined)(`of two replicas, one works at a time${skipped(NO_POSTGRES)}`, async () => {
  const url = await newDatabase();
  const [one, two] = [await openPostgresAt(url), await openPostgresAt(url)];
  try {
    expect(await one.alone(() => two.alone(async () => "both"))).toBeUndefined();
    expect(await two.alone(async () => "later")).toBe("later");
    await expect(one.alone(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await two.alone(async () => "again")).toBe("again");
  } finally {
    await one.close();
    await two.close();
  }
});

test("is off by default, and on by variables that belong together", () => {
  const base = { DATA_DIR: "/tmp/x" };
  expect(retentionOf(readConfig(base))).toBeUndefined();
  expect(retentionOf(readConfig({ ...base, RETENTION_KEYS_DAYS: "90" }))).toEqual({ keys: { days: 90 } });
  const both = { ...base, RETENTION_AUDIT_DAYS: "365", RETENTION_AUDIT_DIR: "/archive" };
  expect(retentionOf(readConfig(both))).toEqual({ audit: { days: 365, directory: "/archive" } });
  for (const wrong of [{ RETENTION_AUDIT_DAYS: "365" }, { RETENTION_AUDIT_DIR: "/x" }, { RETENTION_KEYS_DAYS: "0" }]) {
    expect(() => readConfig({ ...base, ...wrong })).toThrow(/RETENTION_/);
  }
});
