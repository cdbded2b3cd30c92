/** The stores for tests. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Client } from "pg";
import { describe, inject } from "vitest";
import { openPglite } from "../../src/store/pglite.js";
import { openPostgres } from "../../src/store/postgres.js";
import type { Store } from "../../src/store/store.js";

const server = inject("postgres");

export const NO_POSTGRES = "missing" in server ? server.missing : undefined;

/** The address of a new, empty database on the throw-away server. */
export async function newDatabase(): Promise<string> {
  if ("missing" in server) throw new Error(server.missing);
  const name = `test_${randomBytes(6).toString("hex")}`;
  const client = new Client({ connectionString: `${server.url}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${server.url}/${name}`;
}

/** A new store in memory. Loading an image takes a quarter of the time of creating the tables. */
export function openNewPglite(): Promise<Store> {
  return openPglite({ image: new Blob([readFileSync(inject("pglite"))]) });
}

export async function openNewPostgres(): Promise<Store> {
  return await openPostgresAt(await newDatabase());
}

export function openPostgresAt(url: string): Promise<Store> {
  return openPostgres({ url, connections: 10, timeoutMs: 30_000, onError: () => {} });
}

/** Declares the same tests for both stores. Without PostgreSQL its tests are skipped, with a message. */
export function describeStores(name: string, tests: (open: () => Promise<Store>) => void): void {
  describe(`${name}: PGlite`, () => tests(openNewPglite));
  describe.skipIf(NO_POSTGRES !== undefined)(`${name}: PostgreSQL${skipped(NO_POSTGRES)}`, () =>
    tests(openNewPostgres),
  );
}

export function skipped(reason: string | undefined): string {
  return reason === undefined ? "" : ` (skipped: ${reason})`;
}
