/**
 * Load: `keys.getKey` and a refused `apis.deleteApi`, against the same handlers without authorization.
 *
 *     npm run bench -w service [-- --seconds 60 --connections 64 --store memory|postgres-url]
 *
 * Each server is a process of its own (this program, called with `--serve`). "Without authorization" is the same
 * application on the same store with a decider that allows everything: authentication, look-ups, locks and transactions
 * are the same, so a refused deletion is compared with one that finds, after the look-ups, nothing to decide and is
 * ended by a rollback.
 */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type LoadResult, load } from "./load.js";
import { type Served, serve } from "./serve.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "64" },
    database: { type: "string" },
    serve: { type: "string" },
  },
});

if (values.serve === undefined) await main();
else await serve(values.serve === "with", values.database);

async function main(): Promise<void> {
  const seconds = Number(values.seconds);
  const connections = Number(values.connections);
  const results = new Map<string, LoadResult>();
  for (const authorization of ["with", "without"]) {
    const server = await start(authorization);
    for (const operation of ["keys.getKey", "apis.deleteApi"] as const) {
      const result = await load(server.served, operation, { seconds, connections, usage: server.usage });
      results.set(`${operation} ${authorization}`, result);
      print(`${operation} ${authorization} authorization`, result);
    }
    server.end();
  }
  for (const operation of ["keys.getKey", "apis.deleteApi"]) {
    const [full, bare] = [results.get(`${operation} with`), results.get(`${operation} without`)];
    if (full === undefined || bare === undefined) continue;
    const share = (100 * full.decisionMs) / full.requestMs;
    console.log(
      `${operation}: ${percent(full.perSecond / bare.perSecond)} of the throughput without authorization; ` +
        `deciding takes ${share.toFixed(2)} % of a request's time in the handler ` +
        `(${(full.decisionMs * 1000).toFixed(1)} of ${(full.requestMs * 1000).toFixed(0)} µs)`,
    );
  }
}

function print(name: string, result: LoadResult): void {
  const { perSecond, p50, p99, errors, unexpected, before, after } = result;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  console.log(
    `${name}: ${perSecond.toFixed(0)} requests/s, p50 ${p50} ms, p99 ${p99} ms, ${errors} errors, ` +
      `${unexpected} unexpected answers; after warm-up and at the end: heap ${megabytes(before.heap)} -> ${megabytes(after.heap)}, ` +
      `RSS ${megabytes(before.rss)} -> ${megabytes(after.rss)}`,
  );
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(0)} %`;
}

/** Starts this program as a server, and waits until it says where it is. */
async function start(authorization: string) {
  const database = values.database === undefined ? [] : ["--database", values.database];
  const child = fork(fileURLToPath(import.meta.url), ["--serve", authorization, ...database], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const next = () => new Promise<unknown>((resolve) => child.once("message", resolve));
  const served = (await next()) as Served;
  const usage = async () => {
    const answer = next();
    child.send("usage");
    return (await answer) as { readonly rss: number; readonly heap: number };
  };
  return { served, usage, end: () => child.kill("SIGKILL") };
}
