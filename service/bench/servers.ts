/** Starts servers in processes of their own, and creates databases for them. */

import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { PostgresServer } from "../test/support/postgres-server.js";
import type { Authorization, Served } from "./serve.js";
import type { Usage } from "./usage.js";

export interface Measured {
  readonly served: Served;
  readonly usage: () => Promise<Usage>;
  /** The longest turn of the event loop between `start` and `stop`, in microseconds of processor time. */
  readonly longestTurn: { readonly start: () => Promise<void>; readonly stop: () => Promise<number> };
  readonly end: () => Promise<void>;
}

/** Creates a database. Undefined without a PostgreSQL server. */
export async function databaseOn(postgres: PostgresServer | undefined): Promise<string | undefined> {
  if (postgres === undefined) return undefined;
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  const client = new Client({ connectionString: `${postgres.url}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${postgres.url}/${name}`;
}

/** Starts this program as a server, and waits for its address. `profile`: a directory for its CPU profile. */
export async function start(
  authorization: Authorization,
  { database, profile }: { readonly database: string | undefined; readonly profile?: string },
): Promise<Measured> {
  const on = database === undefined ? [] : ["--database", database];
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}/${authorization}`];
  const child = fork(fileURLToPath(import.meta.url), ["--serve", authorization, ...on], {
    execArgv: ["--expose-gc", ...profiling],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const next = () => new Promise<unknown>((resolve) => child.once("message", resolve));
  const served = (await next()) as Served;
  const ask = async (message: "usage" | "start" | "stop") => {
    const answer = next();
    child.send(message);
    return await answer;
  };
  const end = async () => {
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.send("end");
    await ended;
  };
  return {
    served,
    usage: async () => (await ask("usage")) as Usage,
    longestTurn: { start: async () => void (await ask("start")), stop: async () => (await ask("stop")) as number },
    end,
  };
}
