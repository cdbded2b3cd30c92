/** Listens to the notices of changes that the database sends (`migrations/0009_notices.sql`), on a connection of its own. */

import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import type { ChangeListener } from "./store.js";

export const CHANNEL = "keyward_changes";

interface ListenOptions {
  readonly url: string;
  /** The maximum wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
  readonly onError: (error: Error) => void;
}

/** The pauses between attempts to connect, in milliseconds: the last one repeats. */
const PAUSES = [50, 200, 1_000, 5_000];

/** Connects until it is ended. Nothing is told of without a connection, and the listener knows that. */
export function listenForChanges(options: ListenOptions, listener: ChangeListener): () => Promise<void> {
  const ended = new AbortController();
  const work = (async () => {
    for (let attempt = 0; !ended.signal.aborted; attempt++) {
      if (await listened(options, listener, ended.signal)) attempt = 0;
      await wait(PAUSES[Math.min(attempt, PAUSES.length - 1)], undefined, { signal: ended.signal }).catch(() => {});
    }
  })();
  return async () => {
    ended.abort();
    await work;
  };
}

/** Listens on one connection until it breaks or `ended` is aborted. False if there was no connection. */
async function listened(
  { url, timeoutMs, onError }: ListenOptions,
  listener: ChangeListener,
  ended: AbortSignal,
): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    application_name: "keyward-service-listener",
  });
  const isOver = new Promise<void>((resolve) => {
    client.on("error", (error) => {
      listener.onListening(false);
      onError(error);
      resolve();
    });
    client.on("end", () => {
      listener.onListening(false);
      resolve();
    });
    ended.addEventListener("abort", () => resolve(), { once: true });
  });
  client.on("notification", ({ payload }) => listener.onChange(payload ?? ""));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
  } catch (error) {
    onError(error instanceof Error ? error : new Error(String(error)));
    client.end().catch(() => {});
    return false;
  }
  listener.onListening(true);
  await isOver;
  listener.onListening(false);
  // A connection that hangs would not end.
  await Promise.race([client.end().catch(() => {}), wait(1_000)]);
  return true;
}
