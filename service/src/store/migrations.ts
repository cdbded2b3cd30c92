/** The migrations: SQL files, run in order, once each. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { APPLIED, MIGRATED } from "./statements.js";
import type { RequestStore } from "./store.js";

const service = dirname(createRequire(import.meta.url).resolve("@keyward/service/package.json"));

export const MIGRATIONS = { migrationsFolder: join(service, "migrations") };

/** Missing migrations are run when a store is opened, or the store is refused. */
export type MissingMigrations = "run" | "refuse";

/** The tables are missing, or older than this program needs. */
export class MigrationsMissing extends Error {
  override readonly name = "MigrationsMissing";
}

/** Rejects with {@link MigrationsMissing} unless the last migration has run. A store that is ahead is accepted. */
export async function expectMigrated({ run }: Pick<RequestStore, "run">): Promise<void> {
  const last = Math.max(...readMigrationFiles(MIGRATIONS).map(({ folderMillis }) => folderMillis));
  const [table] = await run<{ readonly exists: boolean }>(MIGRATED, []);
  const [applied] = table?.exists === true ? await run<{ readonly last: number }>(APPLIED, []) : [];
  if (applied === undefined || applied.last < last) {
    throw new MigrationsMissing("the tables are missing, or older than this version needs: run the command migrate");
  }
}
