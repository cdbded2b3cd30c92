/** The migrations: SQL files, run in order, once each. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Statement } from "./statement.js";
import type { RequestStore } from "./store.js";

const service = dirname(createRequire(import.meta.url).resolve("@keyward/service/package.json"));

export const MIGRATIONS = { migrationsFolder: join(service, "migrations") };

/** Missing migrations are run when a store is opened, or the store is refused. */
export type MissingMigrations = "run" | "refuse";

/** True if the migrator has its table; `isOwn`: asked once, when a store is opened. */
const MIGRATED: Statement = {
  ...{ name: "migrated", isOwn: true },
  text: `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
};

/** The time of the last migration that has run, in milliseconds; 0 before the first one. */
const APPLIED: Statement = {
  ...{ name: "applied", isOwn: true },
  text: "select coalesce(max(created_at), 0)::float8 as last from drizzle.__drizzle_migrations",
};

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
