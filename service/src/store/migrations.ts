/** The migrations: SQL files, run in order, once each, when a store is opened. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const service = dirname(createRequire(import.meta.url).resolve("@keyward/service/package.json"));

export const MIGRATIONS = { migrationsFolder: join(service, "migrations") };
