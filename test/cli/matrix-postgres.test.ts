/**
 * `keyward matrix` on rows of PostgreSQL.
 *
 * @module-tag long
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres } from "../../service/test/support/postgres-server.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { keyward, withFiles } from "../support/terminal.js";

const server = await startPostgres();

const { key, resource, account } = ask("apis.deleteApi");
const URL = typeof server === "string" ? "" : `${server.url}/postgres`;
const EARLIER_URL = process.env.DATABASE_URL;

beforeAll(async () => {
  if (typeof server === "string") return;
  process.env.DATABASE_URL = URL;
  const client = new Client({ connectionString: URL });
  await client.connect();
  await client.query(`
    CREATE TABLE keys (n int, id text, roles text[], attr jsonb);
    CREATE TABLE apis (kind text, id text, "accountId" text, "workspaceId" text, environment text, system bool,
      "deleteProtection" bool, state text, "keyCount" bigint, created timestamptz);
    CREATE TABLE accounts (id text, attr jsonb);`);
  await client.query("INSERT INTO keys VALUES (1, $1, $2, $3)", [key.id, key.roles, key.attr]);
  await client.query("INSERT INTO keys VALUES (2, 'key_2', '{editor}', $1), (3, 'key_3', '{admin}', '{}')", [key.attr]);
  const { accountId, workspaceId, environment, system, deleteProtection, state } = Object(resource.attr);
  await client.query("INSERT INTO apis VALUES ('api', $1, $2, $3, $4, $5, $6, $7, 0, '2026-01-01')", [
    ...[resource.id, accountId, workspaceId, environment, system, deleteProtection, state],
  ]);
  await client.query("INSERT INTO accounts VALUES ($1, $2)", [account.id, account.attr]);
  await client.end();
});

afterAll(async () => {
  if (EARLIER_URL === undefined) delete process.env.DATABASE_URL;
  else process.env.DATABASE_URL = EARLIER_URL;
  if (typeof server !== "string") await server.stop();
});

const KEYS = "postgres:SELECT id, roles, attr FROM keys ORDER BY n";

async function matrix(keys: string, ...more: readonly string[]) {
  return await matrixOf({ keys }, ...more);
}

/** The queries of keys and resources. Default: resources of a file. */
async function matrixOf(queries: { readonly keys: string; readonly resources?: string }, ...more: readonly string[]) {
  return await withFiles({}, async (directory) => {
    const [apis, accounts] = [join(directory, "apis.sql"), join(directory, "accounts.sql")];
    await writeFile(apis, "SELECT * FROM apis\n");
    await writeFile(accounts, "SELECT id, attr FROM accounts;\n");
    const { keys, resources = apis } = queries;
    const options = ["--keys", keys, "--resources", resources, "--accounts", accounts, "--now=2026-11-28T00:00:00Z"];
    return await keyward(["matrix", SHIPPED_ROOT, ...options, ...more]);
  });
}

test.skipIf(typeof server === "string")("rows have the outcomes of the same data in JSON", async () => {
  const { code, out, err } = await matrix(KEYS, "--format=json");
  expect(code).toBe(0);
  expect(err).toContain("the query of the keys: entry 3: refused: ");
  const report = JSON.parse(out);
  const deleting = report.totals.find(({ operation }: { operation: string }) => operation === "apis.deleteApi");
  expect(deleting).toEqual({
    ...{ kind: "api", operation: "apis.deleteApi", allow: 1, insufficient_permissions: 1, forbidden: 0, cannot: 1 },
  });
  expect((await matrix(KEYS, "--format=json")).out).toBe(out);
});

test.skipIf(typeof server === "string").each([
  ["DELETE FROM keys RETURNING id, roles, attr", "cannot execute DELETE in a read-only transaction"],
  ["COMMIT; DELETE FROM keys", "cannot insert multiple commands into a prepared statement"],
  ["SELECT id, id FROM keys", "has the column id twice"],
  ["SELECT nothing", 'column "nothing" does not exist'],
])("%s: refused", async (query, message) => {
  const { code, err } = await matrix(`postgres:${query}`);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect((await matrix(KEYS)).out).toContain(`${key.id},${resource.id},apis.deleteApi,allow\r\n`);
});

test.skipIf(typeof server === "string")("a resource without an account is told by the query's name", async () => {
  const resources = `postgres:SELECT kind, id, 'acc_secret' AS "accountId", "workspaceId", environment, system,
    "deleteProtection", state, "keyCount" FROM apis`;
  const { err } = await matrixOf({ keys: KEYS, resources });
  expect(err).toContain("the query of the resources: entry 1: refused");
  expect(err).not.toContain("secret");
});

test.skipIf(typeof server === "string")("a connection that fails tells no password", async () => {
  process.env.DATABASE_URL = URL.replace("postgres@", "nobody:geh%65im@");
  try {
    const { code, err } = await matrix(KEYS);
    expect(code).toBe(2);
    expect(err).toContain("cannot connect to PostgreSQL");
    expect(err).not.toMatch(/geheim|geh%65im/);
  } finally {
    process.env.DATABASE_URL = URL;
  }
});
