/** The storage of accounts, APIs and keys: PGlite or PostgreSQL. */

import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { schema } from "./schema.js";
import type { Statement } from "./statement.js";

/** The target of queries: the store itself, or a transaction on it. */
export type Queries = PgDatabase<PgQueryResultHKT, typeof schema>;

/** The value of a parameter. Times are ISO 8601 texts. */
export type ParameterValue = string | number | boolean | null | readonly string[];

/** The part of a store that requests need. Rejects with `StoreUnavailable` while the store itself is at fault. */
export interface RequestStore {
  /** Runs one statement in one round trip, without a transaction block. Rows have the selected columns. */
  run<Row extends object>(statement: Statement, values: readonly ParameterValue[]): Promise<readonly Row[]>;
  /** The connections of a pool, and the statements that wait for one; absent for a store in this process. */
  connections?(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Rejects if the store does not answer, or takes no writes. */
  ping(): Promise<void>;
}

/** Is told of changes of keys, and of everything that a key's powers or its state in force depend on. */
export interface ChangeListener {
  /** False from the moment on which changes may be missed, until they are told of again. */
  onListening(isListening: boolean): void;
  onChange(accountId: string): void;
}

export interface Store extends RequestStore {
  /** `PGlite in memory`, …: for logs. */
  readonly description: string;
  /** For provisioning, which is not time-critical. */
  readonly queries: Queries;
  /** Commits the changes of `work`; if `work` throws, rolls all of them back. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Tells of changes, by this process or another, soon after they are made. Returns the function that ends that. */
  listen(listener: ChangeListener): () => Promise<void>;
  /** Runs `work` unless another process does so on this store; then it resolves to undefined. */
  alone<T>(work: () => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
}
