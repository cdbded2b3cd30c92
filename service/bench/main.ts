/**
 * Measurements of the service, each server a process of its own (this program, called with `--serve`):
 *
 *     npm run bench -w service [-- load] [--seconds 60 --connections 64 --rounds 6 --postgres]
 *     npm run bench -w service -- cpu [--requests 10000 --rounds 6 --postgres --profile DIRECTORY]
 *     npm run bench -w service -- neighbours [--seconds 20 --connections 64 --postgres]
 *
 * `load`: `keys.getKey` and a refused `apis.deleteApi`, against the same handlers without authorization: the same
 * application on the same store with a decider that allows everything. Authentication and look-ups are the same, so a
 * refused deletion is compared with one that finds, after the look-ups, nothing to decide.
 * `cpu`: processor time of the process for a request, once it is warm. `neighbours`: how long a quiet account waits, alone
 * and beside one that is as noisy as it can.
 */

import { parseArgs } from "node:util";
import { type PostgresServer, startPostgres } from "../test/support/postgres-server.js";
import { cpu } from "./cpu.js";
import { type LoadResult, load, together } from "./load.js";
import { neighbours } from "./neighbours.js";
import { serve } from "./serve.js";
import { databaseOn, start } from "./servers.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "64" },
    rounds: { type: "string", default: "6" },
    requests: { type: "string", default: "10000" },
    profile: { type: "string" },
    postgres: { type: "boolean", default: false },
    database: { type: "string" },
    serve: { type: "string" },
  },
});

if (values.serve === undefined) await main();
else await serve(values.serve === "with", values.database);

async function main(): Promise<void> {
  const postgres = values.postgres ? await startPostgres() : undefined;
  if (typeof postgres === "string") throw new Error(postgres);
  const [what = "load"] = positionals;
  try {
    if (what === "cpu") await measureCpu(postgres);
    else if (what === "neighbours") await measureNeighbours(postgres);
    else await measureLoad(postgres);
  } finally {
    await postgres?.stop();
  }
}

async function measureCpu(postgres: PostgresServer | undefined): Promise<void> {
  const profile = values.profile === undefined ? {} : { profile: values.profile };
  const server = await start("with", { database: await databaseOn(postgres), ...profile });
  try {
    for (const operation of ["keys.getKey", "apis.deleteApi"] as const) {
      const { micros, unexpected } = await cpu(server, operation, Number(values.requests), Number(values.rounds));
      console.log(
        `${operation}: ${micros[0]?.toFixed(0)} µs of processor time a request at the least, in rounds of ` +
          `${values.requests}: ${micros.map((each) => each.toFixed(0)).join(", ")} (${unexpected} unexpected answers)`,
      );
    }
  } finally {
    await server.end();
  }
}

async function measureNeighbours(postgres: PostgresServer | undefined): Promise<void> {
  const server = await start("with", { database: await databaseOn(postgres) });
  try {
    const { alone, beside } = await neighbours(server.served, Number(values.connections), Number(values.seconds));
    console.log(
      `a quiet account's keys.getKey, median: ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ` +
        `${values.connections} connections of another that create keys: ${(beside / alone).toFixed(2)} times`,
    );
  } finally {
    await server.end();
  }
}

async function measureLoad(postgres: PostgresServer | undefined): Promise<void> {
  const connections = Number(values.connections);
  const rounds = Number(values.rounds);
  const seconds = Number(values.seconds) / rounds;
  const full = await start("with", { database: await databaseOn(postgres) });
  const bare = await start("without", { database: await databaseOn(postgres) });
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
    await Promise.all([full.end(), bare.end()]);
  }
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
