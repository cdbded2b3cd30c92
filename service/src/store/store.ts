/** Where accounts, APIs and keys are kept: PGlite or PostgreSQL. */

import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { schema } from "./schema.js";
import type { Statement } from "./statements.js";

/** What queries run on: the store itself, or a transaction on it. */
export type Queries = PgDatabase<PgQueryResultHKT, typeof schema>;

/** The value of a parameter; a time is text of ISO 8601. */
export type Value = string | number | boolean | null | readonly string[];

/** All that requests need of a store. Rejects with `StoreUnavailable` while it is at fault itself. */
export interface Requests {
  /** One statement, by itself, in one round trip; its rows have the columns that it selects. */
  run<Row extends object>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]>;
  /** Rejects if the store does not answer. */
  ping(): Promise<void>;
}

export interface Store extends Requests {
  /** `PGlite in memory`, …: for logs. */
  readonly description: string;
  /** For what the platform itself does, which is in no hurry. */
  readonly queries: Queries;
  /** Commits what `work` did, or, if it throws, nothing of it. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
