/** Opens the configured store. */

import { resolve } from "node:path";
import type { Config } from "../config/config.js";
import type { Logger } from "../observability/logger.js";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";
import type { Store } from "./store.js";

/**
 * PostgreSQL by `DATABASE_URL`, or PGlite in `DATA_DIR`, or else PGlite in memory. Runs missing migrations, if
 * `MIGRATE_ON_START` is set and the connections are sessions; otherwise a store that lacks one is refused.
 */
export function openStore(
  config: Pick<Config, `DATABASE_${"URL" | "CONNECTIONS" | "TIMEOUT_MS" | "POOLER"}` | "DATA_DIR" | "MIGRATE_ON_START">,
  logger: Logger,
): Promise<Store> {
  const { DATABASE_URL, DATABASE_CONNECTIONS, DATABASE_TIMEOUT_MS, DATABASE_POOLER, DATA_DIR } = config;
  const hasSessions = DATABASE_POOLER !== "transaction";
  const isInMemory = DATABASE_URL === undefined && DATA_DIR === undefined;
  const migrations = isInMemory || (config.MIGRATE_ON_START && hasSessions) ? "run" : "refuse";
  if (DATABASE_URL === undefined) {
    return openPglite({ directory: DATA_DIR === undefined ? undefined : resolve(DATA_DIR), migrations });
  }
  return openPostgres({
    url: DATABASE_URL,
    connections: DATABASE_CONNECTIONS,
    timeoutMs: DATABASE_TIMEOUT_MS,
    hasSessions,
    migrations,
    onError: (error) => logger.warn({ err: error }, "a connection to the store broke"),
  });
}
