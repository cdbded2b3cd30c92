/** A PostgreSQL server, shared by any number of replicas. */

import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, Pool } from "pg";
import { orUnavailable } from "./faults.js";
import { expectMigrated, MIGRATIONS, type MissingMigrations } from "./migrations.js";
import { listenForChanges } from "./notices.js";
import { PING } from "./ping.js";
import { schema } from "./schema.js";
import type { Statement } from "./statement.js";
import type { ParameterValue, Store } from "./store.js";

export interface PostgresOptions {
  readonly url: string;
  /** The maximum number of connections. */
  readonly connections: number;
  /** The maximum wait for a connection, a lock or a statement, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * True if each connection is a session. A pooler that gives out its sessions for one transaction (PgBouncer in
   * transaction mode) keeps no prepared statements and refuses settings of a session: then only the client limits the
   * time of a statement, and migrations are not run.
   */
  readonly hasSessions?: boolean;
  /** Default: `run`. */
  readonly migrations?: MissingMigrations;
  /** Called for broken connections, in use or idle. A query on one fails, and the next query opens another connection. */
  readonly onError: (error: Error) => void;
}

export async function openPostgres({
  url,
  connections,
  timeoutMs,
  hasSessions = true,
  migrations = "run",
  onError,
}: PostgresOptions): Promise<Store> {
  if (migrations === "run") await migrateOnce(url, timeoutMs);
  const limits = {
    statement_timeout: timeoutMs,
    lock_timeout: timeoutMs,
    idle_in_transaction_session_timeout: 2 * timeoutMs,
  };
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    ...(hasSessions ? limits : {}),
    // The server enforces the limits above; a stopped server enforces none, so the client needs its own.
    query_timeout: timeoutMs + 1_000,
    keepAlive: true,
    application_name: "keyward-service",
  });
  // The pool listens to idle connections only. On a connection in use, an error without a listener would end the
  // process.
  pool.on("connect", (client) => client.on("error", onError));
  // Errors of idle connections are already reported by the listener of the connection.
  pool.on("error", () => {});
  const db = drizzle(pool, { schema });
  const run = async <Row extends object>({ name, text, isOwn }: Statement, values: readonly ParameterValue[]) => {
    const prepared = isOwn === true || !hasSessions ? {} : { name };
    const { rows } = await orUnavailable(pool.query<Row>({ ...prepared, text, values: [...values] }));
    return rows;
  };
  if (migrations === "refuse") {
    await expectMigrated({ run }).catch(async (error: unknown) => {
      await pool.end();
      throw error;
    });
  }
  return {
    description: hasSessions ? "PostgreSQL" : "PostgreSQL behind a transaction pooler",
    queries: db,
    run,
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    transaction: (work) => db.transaction(work),
    ping: async () => {
      await run(PING, []);
    },
    listen: (listener) => listenForChanges({ url, timeoutMs, onError }, listener),
    alone: (work) => runAlone({ url, timeoutMs }, work),
    close: () => pool.end(),
  };
}

/** An arbitrary number that other users of the database do not lock. */
const MIGRATION_LOCK = 0x6b657977;

/** Another such number. */
const LONE_WORK_LOCK = 0x6b657978;

/** The lock belongs to a connection: if that breaks, another process may begin. */
async function runAlone<T>(
  { url, timeoutMs }: Pick<PostgresOptions, "url" | "timeoutMs">,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, keepAlive: true });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as locked", [LONE_WORK_LOCK]);
    return rows[0]?.locked === true ? await work() : undefined;
  } finally {
    await client.end();
  }
}

/** Runs the missing migrations. Replicas that start together wait for the first one. */
async function migrateOnce(url: string, timeoutMs: number): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: timeoutMs });
  // Without a listener, a broken connection would end the process. The query on it fails anyway.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle(client), MIGRATIONS);
  } finally {
    await client.end();
  }
}
