/**
 * A PostgreSQL server that breaks while it is in use.
 *
 * @module-tag long
 */

import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_POSTGRES, skipped } from "../support/databases.js";
import { type PostgresServer, startPostgres } from "../support/postgres-server.js";
import { NOT_BUILT, until } from "../support/process.js";
import { smallDisk } from "../support/small-disk.js";
import { endure } from "./stage.js";

const missing = NOT_BUILT ?? NO_POSTGRES;

async function started(home?: string): Promise<PostgresServer> {
  const server = await startPostgres(home);
  if (typeof server === "string") throw new Error(server);
  return server;
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Creates a database on the server; returns the environment variables that point the service to it. */
async function environmentOn({ url }: PostgresServer, more: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const name = `chaos_${Math.random().toString(36).slice(2)}`;
  const client = await connected(`${url}/postgres`);
  await client.query(`create database ${name}`);
  await client.end();
  return { DATABASE_URL: `${url}/${name}`, DATABASE_TIMEOUT_MS: "1000", ...more };
}

describe.skipIf(missing !== undefined)(`PostgreSQL${skipped(missing)}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await started();
  });
  afterAll(() => server.stop());

  test("connections are ended, again and again", async () => {
    const environment = await environmentOn(server);
    const admin = await connected(`${server.url}/postgres`);
    const terminate =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'keyward-service'";
    const name = new URL(environment.DATABASE_URL ?? "").pathname.slice(1);
    let terminated = 0;
    await endure(environment, {
      begin: async () => {
        const enough = terminated + 40;
        // How many connections the pool has made again since the last time depends on the machine.
        await until("40 connections are ended", async () => {
          terminated += (await admin.query(terminate, [name])).rows.length;
          return terminated >= enough;
        });
      },
      end: () => {},
      shows: false,
    });
    expect(terminated).toBeGreaterThan(20);
    await admin.end();
  });

  test.each([
    ["shut down fast", "SIGINT"],
    ["gone as by a crash", "SIGQUIT"],
  ] as const)("the server is %s, and comes back", async (_, signal) => {
    await endure(await environmentOn(server), { begin: () => server.halt(signal), end: () => server.again() });
  });

  test("the server hangs, and goes on", async () => {
    await endure(await environmentOn(server), { begin: () => server.freeze(), end: () => server.thaw() });
  });

  test("two replicas lose the server at once", async () => {
    const fault = { begin: () => server.halt("SIGQUIT"), end: () => server.again() };
    await endure(await environmentOn(server), fault, 2);
  });

  test("every connection of the pool waits", async () => {
    const environment = await environmentOn(server, { DATABASE_CONNECTIONS: "2" });
    let holder: Client | undefined;
    await endure(environment, {
      begin: async () => {
        holder = await connected(environment.DATABASE_URL ?? "");
        await holder.query("begin");
        await holder.query("lock table keys in access exclusive mode");
      },
      end: () => holder?.end(),
    });
  });

  test("others have all connections of the server", async () => {
    const environment = await environmentOn(server);
    const others: Client[] = [];
    await endure(environment, {
      begin: async () => {
        const admin = await connected(`${server.url}/postgres`);
        others.push(admin);
        // Ends the service's own connections; other clients then take the free places faster.
        for (let full = false; !full; ) {
          await admin.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keyward-service'",
          );
          const more = await Promise.allSettled(Array.from({ length: 50 }, () => connected(`${server.url}/postgres`)));
          for (const result of more) if (result.status === "fulfilled") others.push(result.value);
          full = more.every(({ status }) => status === "rejected");
        }
      },
      end: async () => {
        await Promise.all(others.splice(0).map((client) => client.end()));
      },
    });
  });
});

describe.skipIf(missing !== undefined)(`PostgreSQL's disk${skipped(missing)}`, () => {
  const path = join(tmpdir(), `keyward-disk-${process.pid}`);
  const disk = smallDisk(path, 400_000_000);
  afterAll(() => {
    if (typeof disk !== "string") disk.remove();
    rmSync(path, { recursive: true, force: true });
  });

  test.skipIf(typeof disk === "string")(`is full${skipped(typeof disk === "string" ? disk : undefined)}`, async () => {
    if (typeof disk === "string") return;
    const server = await started(join(path, "home"));
    try {
      await endure(await environmentOn(server), {
        begin: () => disk.fill(),
        end: async () => {
          disk.empty();
          // Without room for its journal, PostgreSQL drops its connections or exits. Restarting it is its operator's
          // job.
          await until("it is there", async () => {
            const client = await connected(`${server.url}/postgres`).catch(() => undefined);
            await client?.end();
            if (client === undefined) await server.again().catch(() => {});
            return client !== undefined;
          });
        },
      });
    } finally {
      await server.stop();
    }
  });
});
