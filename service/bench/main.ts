/**
 * Measurements of the service. Each server is a process of its own (this program, called with `--serve`):
 *
 *     npm run bench -w service [-- load] [--seconds 60 --connections 64 --rounds 6 --postgres]
 *     npm run bench -w service -- cpu [--requests 10000 --rounds 6 --postgres --profile DIRECTORY]
 *     npm run bench -w service -- neighbours [--seconds 20 --connections 64 --postgres]
 *     npm run bench -w service -- loop [--requests 20 --postgres]
 *
 * `load` sends `keys.getKey` and a refused `apis.deleteApi` to three servers in turns. All three authenticate and look
 * rows up in the same way:
 *
 * - `authorized` is the service itself.
 * - `undecided` has the same answers, records and audit rows, but evaluates no policies. It shows the cost of
 *   evaluation.
 * - `bare` neither decides nor records. It shows the cost of authorization as a whole.
 *
 * `cpu` measures the processor time of a request on the same three servers after warm-up, with a CPU profile of each.
 * `neighbours` measures the latency of a quiet account, alone and beside an account that sends as much as it can.
 * `loop` measures how long each of the largest requests holds the event loop: the longest turn, in processor time.
 */

import { parseArgs } from "node:util";
import { type PostgresServer, startPostgres } from "../test/support/postgres-server.js";
import { cpu } from "./cpu.js";
import { type LoadResult, load, together } from "./load.js";
import { loop } from "./loop.js";
import { neighbours } from "./neighbours.js";
import { type Authorization, serve } from "./serve.js";
import { databaseOn, type Measured, start } from "./servers.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "64" },
    rounds: { type: "string", default: "6" },
    requests: { type: "string" },
    profile: { type: "string" },
    postgres: { type: "boolean", default: false },
    database: { type: "string" },
    serve: { type: "string" },
  },
});

const OPERATIONS = ["keys.getKey", "apis.deleteApi"] as const;
const AUTHORIZATIONS = ["authorized", "undecided", "bare"] as const satisfies readonly Authorization[];

const asServer = AUTHORIZATIONS.find((name) => name === values.serve);
if (asServer === undefined) await main();
else await serve(asServer, values.database);

async function main(): Promise<void> {
  const postgres = values.postgres ? await startPostgres() : undefined;
  if (typeof postgres === "string") throw new Error(postgres);
  const [what = "load"] = positionals;
  try {
    if (what === "cpu") await measureCpu(postgres);
    else if (what === "neighbours") await measureNeighbours(postgres);
    else if (what === "loop") await measureLoop(postgres);
    else await measureLoad(postgres);
  } finally {
    await postgres?.stop();
  }
}

/** A server of each kind, for `work`. */
async function withServers(
  postgres: PostgresServer | undefined,
  work: (servers: { readonly [K in Authorization]: Measured }) => Promise<void>,
): Promise<void> {
  const profile = values.profile === undefined ? {} : { profile: values.profile };
  const launch = async (authorization: Authorization) =>
    await start(authorization, { database: await databaseOn(postgres), ...profile });
  const servers = {
    authorized: await launch("authorized"),
    undecided: await launch("undecided"),
    bare: await launch("bare"),
  };
  try {
    await work(servers);
  } finally {
    await Promise.all(Object.values(servers).map(({ end }) => end()));
  }
}

async function measureCpu(postgres: PostgresServer | undefined): Promise<void> {
  const requests = Number(values.requests ?? 10_000);
  await withServers(postgres, async (servers) => {
    for (const operation of OPERATIONS) {
      const inTurns = AUTHORIZATIONS.map((name) => servers[name]);
      const results = await cpu(inTurns, operation, requests, Number(values.rounds));
      for (const [i, { micros, unexpected }] of results.entries()) {
        console.log(
          `${operation} ${AUTHORIZATIONS[i]}: ${micros[0]?.toFixed(0)} µs of processor time a request at the least, in ` +
            `rounds of ${requests}: ${micros.map((each) => each.toFixed(0)).join(", ")} (${unexpected} unexpected answers)`,
        );
      }
    }
  });
}

async function measureNeighbours(postgres: PostgresServer | undefined): Promise<void> {
  const server = await start("authorized", { database: await databaseOn(postgres) });
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

async function measureLoop(postgres: PostgresServer | undefined): Promise<void> {
  const server = await start("authorized", { database: await databaseOn(postgres) });
  try {
    for (const { what, statuses, micros } of await loop(server, Number(values.requests ?? 20))) {
      const [first = 0, ...rest] = micros;
      const ms = (time: number) => (time / 1_000).toFixed(1);
      console.log(
        `${what} (${statuses.join(", ")}): the longest turn takes ${ms(first)} ms of processor time at first, ` +
          `then ${ms(median(rest))} in the median, at most ${ms(Math.max(...rest))}`,
      );
    }
  } finally {
    await server.end();
  }
}

async function measureLoad(postgres: PostgresServer | undefined): Promise<void> {
  const connections = Number(values.connections);
  const rounds = Number(values.rounds);
  const seconds = Number(values.seconds) / rounds;
  const warmUp = Math.min(10, Number(values.seconds) / 4);
  await withServers(postgres, async (servers) => {
    for (const operation of OPERATIONS) {
      const results: { readonly [K in Authorization]: LoadResult[] } = { authorized: [], undecided: [], bare: [] };
      // In turns, so that other load on the machine affects all servers alike.
      for (let round = 0; round < rounds; round++) {
        for (const name of AUTHORIZATIONS) {
          const { served, usage } = servers[name];
          const options = { seconds, connections, warmUp: round === 0 ? warmUp : 0, usage };
          results[name].push(await load(served, operation, options));
        }
      }
      for (const name of AUTHORIZATIONS) print(`${operation} ${name}`, together(results[name]));
      for (const name of ["undecided", "bare"] as const) compare(operation, results.authorized, name, results[name]);
    }
  });
}

/** The median of the rounds' ratios: a temporary load on the machine then affects one round only. */
function compare(operation: string, full: readonly LoadResult[], name: string, other: readonly LoadResult[]): void {
  const ratio = (of: (result: LoadResult) => number) =>
    percent(median(full.flatMap((result, i) => (other[i] === undefined ? [] : [of(result) / of(other[i])]))));
  console.log(
    `${operation}: authorized has ${ratio(({ perSecond }) => perSecond)} of the throughput of ${name}, ` +
      `for ${ratio((result) => result.cpu)} of its processor time a request`,
  );
}

function print(name: string, result: LoadResult): void {
  const { perSecond, p50, p99, errors, unexpected, before, after, cpu, decisionMs, requestMs } = result;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  console.log(
    `${name}: ${perSecond.toFixed(0)} requests/s, ${cpu.toFixed(0)} µs of processor time a request, ` +
      `p50 ${p50.toFixed(0)} ms, p99 ${p99} ms, ${errors} errors, ${unexpected} unexpected answers; ` +
      `in the handler ${(requestMs * 1000).toFixed(0)} µs, deciding ${(decisionMs * 1000).toFixed(1)} of them; ` +
      `after warm-up and at the end: heap ${megabytes(before.heap)} -> ${megabytes(after.heap)}, ` +
      `RSS ${megabytes(before.rss)} -> ${megabytes(after.rss)}`,
  );
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(0)} %`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
