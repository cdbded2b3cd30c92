/** PostgreSQL inside this process, in memory or in a directory. */

import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { MIGRATIONS } from "./migrations.js";
import { schema } from "./schema.js";
import type { Store } from "./store.js";

export interface PgliteOptions {
  /** The directory; without one the store is in memory. */
  readonly directory?: string | undefined;
  /** What to begin with instead of an empty store: a dump of a data directory. */
  readonly image?: Blob | undefined;
}

/**
 * Opens a store in `directory`, which is made if need be; in memory without one. It has one connection, so transactions
 * follow one another. A directory is one process's at a time: a second one is refused.
 */
export async function openPglite({ directory, image }: PgliteOptions = {}): Promise<Store> {
  const release = directory === undefined ? async () => {} : await lockDirectory(directory);
  try {
    const client = await PGlite.create({
      ...(directory === undefined ? {} : { dataDir: directory }),
      ...(image === undefined ? {} : { loadDataDir: image }),
    });
    const db = drizzle(client, { schema });
    await migrate(db, MIGRATIONS);
    return {
      description: directory === undefined ? "PGlite in memory" : `PGlite in ${directory}`,
      queries: db,
      transaction: (work) => db.transaction(work),
      ping: async () => {
        await db.execute(sql`select 1`);
      },
      close: async () => {
        await client.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Takes `<directory>.lock`, which names the process that has the directory. PGlite takes no lock of its own, and two
 * servers on one directory destroy it. The lock of a process that was killed is taken over.
 */
async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(dirname(directory), { recursive: true });
  const path = `${directory.replace(/\/+$/, "")}.lock`;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = await open(path, "wx");
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (!isExisting(error)) throw error;
      const owner = Number(await readFile(path, "utf8").catch(() => ""));
      if (isRunning(owner)) throw new Error(`${directory} is in use by process ${owner} (${path})`);
      await rm(path, { force: true });
    }
  }
  throw new Error(`${path} cannot be taken`);
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
