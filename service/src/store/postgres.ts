/** A PostgreSQL server, shared by any number of replicas. */

import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, Pool } from "pg";
import { available } from "./faults.js";
import { MIGRATIONS } from "./migrations.js";
import { schema } from "./schema.js";
import { PING, type Statement } from "./statements.js";
import type { Store, Value } from "./store.js";

export interface PostgresOptions {
  readonly url: string;
  /** Most connections at a time. */
  readonly connections: number;
  /** How long to wait for a connection, a lock or a statement, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of connections that break, in use or not; what used one fails, and the next query opens another. */
  readonly onError: (error: Error) => void;
}

export async function openPostgres({ url, connections, timeoutMs, onError }: PostgresOptions): Promise<Store> {
  await migrateOnce(url, timeoutMs);
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    lock_timeout: timeoutMs,
    idle_in_transaction_session_timeout: 2 * timeoutMs,
    // The limits above are the server's, and one that is stopped keeps none.
    query_timeout: timeoutMs + 1_000,
    keepAlive: true,
    application_name: "keyward-service",
  });
  // The pool listens to a connection while nobody has it. In between, an error that nobody hears ends the process.
  pool.on("connect", (client) => client.on("error", onError));
  // What is idle is told of twice, by the connection and by the pool.
  pool.on("error", () => {});
  const db = drizzle(pool, { schema });
  const run = async <Row extends object>({ name, text, isOwn }: Statement, values: readonly Value[]) => {
    const prepared = isOwn === true ? {} : { name };
    const { rows } = await available(pool.query<Row>({ ...prepared, text, values: [...values] }));
    return rows;
  };
  return {
    description: "PostgreSQL",
    queries: db,
    run,
    transaction: (work) => db.transaction(work),
    ping: async () => {
      await run(PING, []);
    },
    close: () => pool.end(),
  };
}

/** Any number that other users of the database do not lock. */
const MIGRATION_LOCK = 0x6b657977;

/** Runs the migrations that are missing. Replicas that start together wait for the first. */
async function migrateOnce(url: string, timeoutMs: number): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: timeoutMs });
  // Without a listener a connection that breaks would end the process; the query that needed it fails anyway.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle(client), MIGRATIONS);
  } finally {
    await client.end();
  }
}
