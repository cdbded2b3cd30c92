/** Opens the configured store. */

import { resolve } from "node:path";
import type { Config } from "../config/config.js";
import type { Logger } from "../observability/logger.js";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";
import type { Store } from "./store.js";

/** PostgreSQL by `DATABASE_URL`, or PGlite in `DATA_DIR`, or else PGlite in memory. Runs the migrations. */
export function openStore(
  config: Pick<Config, "DATABASE_URL" | "DATABASE_CONNECTIONS" | "DATABASE_TIMEOUT_MS" | "DATA_DIR">,
  logger: Logger,
): Promise<Store> {
  const { DATABASE_URL, DATABASE_CONNECTIONS, DATABASE_TIMEOUT_MS, DATA_DIR } = config;
  if (DATABASE_URL === undefined)
    return openPglite({ directory: DATA_DIR === undefined ? undefined : resolve(DATA_DIR) });
  return openPostgres({
    url: DATABASE_URL,
    connections: DATABASE_CONNECTIONS,
    timeoutMs: DATABASE_TIMEOUT_MS,
    onError: (error) => logger.warn({ err: error }, "a connection to the store broke"),
  });
}
