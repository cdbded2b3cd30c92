/**
 * Retention: old audit entries are archived, the chain stays verifiable, and records of revoked keys are purged.
 *
 * @module-tag long
 */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { archiveAudit, readArchiveOptions, readArchives } from "../src/audit-archive.js";
import { chainOf, verifyAudit } from "../src/audit-log.js";
import { readAdminCommand } from "../src/operator/command.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import type { TestService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

const home = mkdtempSync(join(tmpdir(), "keyward-archive-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(home, `${files++}.jsonl`);
const FUTURE = "2999-01-01T00:00:00Z";

describeStores("retention", (open) => {
  let store: Store;
  let service: TestService;
  useService(open, (made) => ({ store, service } = made));

  const create = async (world: World, times: number) => {
    for (let i = 0; i < times; i++) {
      const body = { apiId: world.active, name: "x" };
      expect((await service.call("/v1/keys.createKey", world.admin.secret, body)).status).toBe(200);
    }
  };
  const archive = (before: string, to = newFile()) => archiveAudit(store, { before, to, operator: "alice" });
  const rowsOf = async ({ accountId }: World) => {
    const rows = [];
    for await (const row of chainOf(store, accountId)) rows.push(row);
    return rows;
  };
  const sql = (text: string) => store.run({ name: "tampered", text, isOwn: true }, []);

  test("entries leave the store for a file, and both together are one chain", async () => {
    const world = await newAccount(store);
    const { accountId } = world;
    await create(world, 3);
    const before = await rowsOf(world);
    const [first, second] = [newFile(), newFile()];
    const { entries, faults } = await archive(FUTURE, first);
    expect([entries >= 3, faults]).toEqual([true, []]);
    // Archives contain everything about an account.
    expect(statSync(first).mode & 0o077).toBe(0);
    const lines = readFileSync(first, "utf8").trimEnd().split("\n");
    const archived = lines.map((line) => JSON.parse(line)).filter((line) => line.accountId === accountId);
    expect(archived).toEqual(before.map((row) => ({ accountId, ...row })));
    const left = await rowsOf(world);
    expect(left.map(({ seq, entry }) => [seq, JSON.parse(entry)])).toEqual([
      [4, expect.objectContaining({ operator: "alice", command: "audit.archive", change: { before: FUTURE } })],
    ]);
    expect(await verifyAudit(store)).toMatchObject({ archived: entries, faults: [] });

    await create(world, 2);
    await archive(FUTURE, second);
    expect(await verifyAudit(store, await readArchives([first, second]))).toMatchObject({ faults: [] });
    // A missing archive, archives in another order, and a changed line.
    const faultsOf = async (...paths: string[]) =>
      (await verifyAudit(store, await readArchives(paths))).faults.filter((fault) => fault.accountId === accountId);
    const ends = "the archives do not end where the chain in the store begins";
    expect(await faultsOf(first)).toMatchObject([{ fault: ends }]);
    expect(await faultsOf(second, first)).toMatchObject([
      { fault: "in an archive: an entry is missing before this one" },
    ]);
    const changed = newFile();
    writeFileSync(changed, readFileSync(first, "utf8").replaceAll(world.admin.keyId, "key_other"));
    expect(await faultsOf(changed, second)).toMatchObject([
      { seq: 1, fault: "in an archive: this entry, or its hash, was changed" },
    ]);
    expect((await readArchives([first, first, second])).repeated).toBe(lines.length);
    writeFileSync(changed, `${readFileSync(first, "utf8")}{"half`);
    expect((await readArchives([changed])).faults).toEqual([
      { accountId: "", seq: 0, fault: "in an archive: a line is no entry" },
    ]);
  });

  test("entries stay from the first on that is not older", async () => {
    const world = await newAccount(store);
    await create(world, 2);
    const middle = new Date(Date.now() + 5).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await create(world, 2);
    expect((await archive("2000-01-01T00:00:00Z")).entries).toBe(0);
    await archive(middle);
    expect((await rowsOf(world)).map(({ seq }) => seq)).toEqual([3, 4, 5]);
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("a chain with a fault keeps its entries from there on, and so does one whose archive cannot be written", async () => {
    const world = await newAccount(store);
    await create(world, 3);
    const existing = newFile();
    writeFileSync(existing, "");
    await expect(archive(FUTURE, existing)).rejects.toThrow(/^the archive cannot be created: EEXIST/);
    expect(await rowsOf(world)).toHaveLength(3);
    await sql(
      `update audit set entry = replace(entry, 'allow', 'deny') where account_id = '${world.accountId}' and seq = 2`,
    );
    const { faults } = await archive(FUTURE);
    const fault = { accountId: world.accountId, seq: 2, fault: "this entry, or its hash, was changed" };
    expect(faults).toEqual([fault]);
    expect((await rowsOf(world)).map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect((await verifyAudit(store)).faults).toEqual([fault]);
    // A chain that is cut at its beginning is found, too.
    await sql(`delete from audit where account_id = '${world.accountId}' and seq = 2`);
    expect((await verifyAudit(store)).faults).toMatchObject([{ seq: 3, fault: "an entry is missing before this one" }]);
    await sql(`delete from audit where account_id = '${world.accountId}'`);
    await sql(
      `update audit_heads set seq = 0, hash = '', archived_seq = 0, archived_hash = '' where account_id = '${world.accountId}'`,
    );
  });

  test("records of keys that were revoked before a time are purged", async () => {
    const world = await newAccount(store);
    const { accountId, editor, viewer, admin } = world;
    const run = async (...args: string[]) =>
      JSON.parse(await readAdminCommand([...args, "--format", "json", "--operator", "alice"])(store));
    const purge = (before: string) => run("keys", "purge", "--account", accountId, "--before", before);
    await service.call("/v2/keys.revokeKey", admin.secret, { keyId: editor.keyId });
    expect(await purge(FUTURE.replace("2999", "2000"))).toEqual({ changed: false, purged: 0 });
    expect(await purge(FUTURE)).toEqual({ changed: true, purged: 1 });
    expect(await purge(FUTURE)).toEqual({ changed: false, purged: 0 });
    const found = async (keyId: string) => (await service.call("/v2/keys.getKey", admin.secret, { keyId })).status;
    expect([await found(editor.keyId), await found(viewer.keyId)]).toEqual([404, 200]);
    const last = (await rowsOf(world)).at(-1);
    expect(JSON.parse(last?.entry ?? "")).toMatchObject({
      ...{ operator: "alice", command: "keys.purge" },
      change: { purged: [editor.keyId], before: FUTURE },
    });
    expect((await verifyAudit(store)).faults).toEqual([]);
  });
});

test("an archive that is not there", async () => {
  await expect(readArchives([join(home, "nowhere")])).rejects.toThrow(/^the archive cannot be read: ENOENT/);
});

test.each([
  [],
  ["--before", FUTURE, "--to", "x"],
  ["--before", "yesterday", "--to", "x", "--operator", "a"],
  ["--before", FUTURE, "--operator", "a"],
  ["--before", FUTURE, "--to", "x", "--operator", "a", "y"],
])("arguments that the command does not know: %j %j %j %j %j %j %j", (...args) => {
  expect(() => readArchiveOptions(args.filter((arg) => arg !== undefined))).toThrow();
});
