/**
 * Load: `keys.getKey` and a refused `apis.deleteApi`, against the same handlers without authorization.
 *
 *     npm run bench -w service [-- --seconds 60 --connections 64 --rounds 6 --postgres]
 *
 * Each server is a process of its own (this program, called with `--serve`). "Without authorization" is the same
 * application on the same store with a decider that allows everything: authentication, look-ups, locks and transactions
 * are the same, so a refused deletion is compared with one that finds, after the look-ups, nothing to decide and is
 * ended by a rollback.
 */

import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../test/support/postgres-server.js";
import { type LoadResult, load, together, type Usage } from "./load.js";
import { type Served, serve } from "./serve.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "64" },
    rounds: { type: "string", default: "6" },
    postgres: { type: "boolean", default: false },
    database: { type: "string" },
    serve: { type: "string" },
  },
});

if (values.serve === undefined) await main();
else await serve(values.serve === "with", values.database);

async function main(): Promise<void> {
  const connections = Number(values.connections);
  const rounds = Number(values.rounds);
  const seconds = Number(values.seconds) / rounds;
  const postgres = values.postgres ? await startPostgres() : undefined;
  if (typeof postgres === "string") throw new Error(postgres);
  const full = await start("with", await databaseOn(postgres));
  const bare = await start("without", await databaseOn(postgres));
  try {
    for (const operation of ["keys.getKey", "apis.deleteApi"] as const) {
      const results: { readonly full: LoadResult[]; readonly bare: LoadResult[] } = { full: [], bare: [] };
      // In turns, so that what else goes on in the machine meets both alike.
      for (let round = 0; round < rounds; round++) {
        const options = { seconds, connections, warmUp: round === 0 ? Math.min(10, Number(values.seconds) / 4) : 0 };
        results.full.push(await load(full.served, operation, { ...options, usage: full.usage }));
        results.bare.push(await load(bare.served, operation, { ...options, usage: bare.usage }));
      }
      compare(operation, together(results.full), together(results.bare));
    }
  } finally {
    full.end();
    bare.end();
    await postgres?.stop();
  }
}

async function databaseOn(postgres: PostgresServer | undefined): Promise<string | undefined> {
  if (postgres === undefined) return undefined;
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  const client = new Client({ connectionString: `${postgres.url}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${postgres.url}/${name}`;
}

function compare(operation: string, full: LoadResult, bare: LoadResult): void {
  print(`${operation} with authorization`, full);
  print(`${operation} without authorization`, bare);
  const share = (100 * full.decisionMs) / full.requestMs;
  console.log(
    `${operation}: ${percent(full.perSecond / bare.perSecond)} of the throughput without authorization, ` +
      `by processor time ${percent(bare.cpu / full.cpu)} (${full.cpu.toFixed(0)} and ${bare.cpu.toFixed(0)} µs a request); ` +
      `deciding takes ${share.toFixed(2)} % of a request's time in the handler ` +
      `(${(full.decisionMs * 1000).toFixed(1)} of ${(full.requestMs * 1000).toFixed(0)} µs)`,
  );
}

function print(name: string, result: LoadResult): void {
  const { perSecond, p50, p99, errors, unexpected, before, after } = result;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  console.log(
    `${name}: ${perSecond.toFixed(0)} requests/s, p50 ${p50.toFixed(0)} ms, p99 ${p99} ms, ${errors} errors, ` +
      `${unexpected} unexpected answers; after warm-up and at the end: heap ${megabytes(before.heap)} -> ${megabytes(after.heap)}, ` +
      `RSS ${megabytes(before.rss)} -> ${megabytes(after.rss)}`,
  );
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(0)} %`;
}

/** Starts this program as a server, and waits until it says where it is. */
async function start(authorization: string, url: string | undefined) {
  const database = url === undefined ? [] : ["--database", url];
  const child = fork(fileURLToPath(import.meta.url), ["--serve", authorization, ...database], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const next = () => new Promise<unknown>((resolve) => child.once("message", resolve));
  const served = (await next()) as Served;
  const usage = async () => {
    const answer = next();
    child.send("usage");
    return (await answer) as Usage;
  };
  return { served, usage, end: () => child.kill("SIGKILL") };
}
