/** Where accounts, APIs and keys are kept: one query layer over PGlite or PostgreSQL. */

import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { schema } from "./schema.js";

/** What queries run on: the store itself, or a transaction on it. */
export type Queries = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface Store {
  /** `PGlite in memory`, …: for logs. */
  readonly description: string;
  /** For single statements. */
  readonly queries: Queries;
  /** Commits what `work` did, or, if it throws, nothing of it. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Rejects if the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
