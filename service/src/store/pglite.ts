/** PostgreSQL inside this process, in memory or in a directory. */

import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { lockDirectory } from "./directory-lock.js";
import { orUnavailable } from "./faults.js";
import { expectMigrated, MIGRATIONS, type MissingMigrations } from "./migrations.js";
import { CHANNEL } from "./notices.js";
import { PING } from "./ping.js";
import { schema } from "./schema.js";
import type { Statement } from "./statement.js";
import type { ParameterValue, Store } from "./store.js";

export interface PgliteOptions {
  /** The directory; without one, the store is in memory. */
  readonly directory?: string | undefined;
  /** The initial data in place of an empty store: a dump of a data directory. */
  readonly image?: Blob | undefined;
  /** Default: `run`. */
  readonly migrations?: MissingMigrations;
}

/**
 * Opens a store in `directory`, created if absent, or in memory. It has one connection, so transactions run one after
 * another. PGlite has no lock of its own, and two processes would destroy a directory. So a directory is locked, and a
 * second process is refused.
 */
export async function openPglite({ directory, image, migrations = "run" }: PgliteOptions = {}): Promise<Store> {
  const release = directory === undefined ? async () => {} : await lockDirectory(directory);
  try {
    const client = await PGlite.create({
      ...(directory === undefined ? {} : { dataDir: directory }),
      ...(image === undefined ? {} : { loadDataDir: image }),
    });
    const db = drizzle(client, { schema });
    if (migrations === "run") await migrate(db, MIGRATIONS);
    const run = async <Row extends object>({ text }: Statement, values: readonly ParameterValue[]) => {
      const { rows } = await orUnavailable(client.query<Row>(text, [...values]));
      return rows;
    };
    if (migrations === "refuse") await expectMigrated({ run });
    return {
      description: directory === undefined ? "PGlite in memory" : `PGlite in ${directory}`,
      queries: db,
      run,
      transaction: (work) => db.transaction(work),
      ping: async () => {
        await run(PING, []);
      },
      listen: (listener) => {
        const end = client
          .listen(CHANNEL, (accountId) => listener.onChange(accountId))
          .then((stop) => {
            listener.onListening(true);
            return stop;
          });
        return async () => {
          listener.onListening(false);
          await (await end)();
        };
      },
      // The lock on the directory keeps other processes out.
      alone: (work) => work(),
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
