/** A deployment: two processes of the service on one PostgreSQL database, behind a proxy. */

import { expect } from "vitest";
import type { Store } from "../../src/store/store.js";
import { type Post, postTo } from "../chaos/storm.js";
import { NO_POSTGRES, newDatabase, openPostgresAt } from "./databases.js";
import { NOT_BUILT, startProcess, until } from "./process.js";
import { startProxy } from "./proxy.js";
import type { Answer } from "./service.js";

/** The reason for skipping tests of replicas. */
export const NO_REPLICAS = NOT_BUILT ?? NO_POSTGRES;

export interface Replicas {
  /** The store that the replicas share. */
  readonly store: Store;
  /** Sends a request through the proxy. */
  readonly call: Post;
  /** Waits for the decision record of a request. */
  recordOf(answer: Answer): Promise<unknown>;
  /** The lines of both logs of both replicas. */
  logged(): readonly string[];
  /** Also fails if a replica served nothing or ended with an error, or the proxy lost a request. */
  close(): Promise<void>;
}

export async function startReplicas(): Promise<Replicas> {
  const url = await newDatabase();
  const store = await openPostgresAt(url);
  const replicas = await Promise.all([startProcess({ DATABASE_URL: url }), startProcess({ DATABASE_URL: url })]);
  const proxy = await startProxy(replicas.map(({ baseUrl }) => Number(new URL(baseUrl).port)));
  const logged = () => replicas.flatMap(({ stdout, stderr }) => [...linesOf(stdout()), ...linesOf(stderr())]);
  return {
    store,
    call: postTo([proxy]),
    logged,
    recordOf: async ({ body }) => {
      const field = JSON.stringify({ requestId: body.meta.requestId }).slice(1, -1);
      const lines = () => replicas.flatMap(({ stdout }) => linesOf(stdout())).filter((line) => line.includes(field));
      await until("the decision is recorded", () => lines().length > 0);
      return JSON.parse(lines()[0] ?? "");
    },
    close: async () => {
      await proxy.close();
      const codes = await Promise.all(replicas.map((replica) => replica.end()));
      await store.close();
      expect({ codes, failed: proxy.failed, idle: proxy.served.filter((count) => count === 0) }).toEqual({
        codes: [0, 0],
        failed: [],
        idle: [],
      });
    },
  };
}

/** The complete lines of an output. */
function linesOf(output: string): readonly string[] {
  return output.split("\n").slice(0, -1);
}
