/** Reads rows from PostgreSQL, with the package `pg`, which its users install. */

import type { Client, ClientConfig } from "pg";
import { messageOf, type Streams, UsageError } from "../exit.js";
import { loadOptionalPackages } from "../optional-packages.js";
import { readInput } from "../read-input.js";
import type { SourceRecord } from "./records.js";

const PREFIX = "postgres:";

/** Does a source have the text of a query in place of a name? */
export function isQuery(source: string): boolean {
  return source.startsWith(PREFIX);
}

/** The query of a source: `postgres:QUERY`, or the text of `FILE.sql`. Undefined: the source is another file. */
export async function queryIn(source: string, streams: Streams): Promise<string | undefined> {
  if (isQuery(source)) return source.slice(PREFIX.length);
  if (!/\.sql$/i.test(source)) return undefined;
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of readInput(source, streams)) {
    text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * The database of all queries of a run: that of `DATABASE_URL`, or of the variables of libpq (`PGHOST`, …). All queries
 * see the same state of it, in a transaction that can write nothing.
 */
export class MatrixDatabase {
  private client: Promise<Client> | undefined;

  /** Yields the rows of one statement. Throws a {@link UsageError} that tells no secret of the connection. */
  async *rows(query: string): AsyncGenerator<SourceRecord> {
    this.client ??= connected();
    const client = await this.client;
    const { fields, rows } = await attempt("the query to PostgreSQL failed", async () => {
      // The extended protocol takes a single statement, so that none can end the transaction before another.
      const { fields: found, rows: all } = await client.query({ ...{ text: query, rowMode: "array" }, ...EXTENDED });
      return { fields: found, rows: all };
    });
    const columns = fields.map(({ name }) => name);
    const twice = columns.find((name, i) => columns.indexOf(name) !== i);
    if (twice !== undefined) throw new UsageError(`the query to PostgreSQL has the column ${twice} twice`);
    for (const row of rows) yield columns.map((name, i) => [name, jsonValue(cellsOf(row)[i])]);
  }

  async close(): Promise<void> {
    await this.client?.then((client) => client.end()).catch(() => undefined);
  }
}

const EXTENDED = { queryMode: "extended" };

/** Milliseconds until a connection must stand. */
const CONNECT_TIMEOUT = 10_000;

async function connected(): Promise<Client> {
  const { default: pg } = await loadOptionalPackages("pg@8", () => import("pg"));
  const url = process.env.DATABASE_URL;
  return await attempt("cannot connect to PostgreSQL", async () => {
    const config: ClientConfig = { connectionTimeoutMillis: CONNECT_TIMEOUT, application_name: "keyward matrix" };
    const client = new pg.Client({
      ...(url === undefined ? config : { ...config, connectionString: url }),
      types: { getTypeParser: (oid, format) => (TEXTS.has(oid) ? String : pg.types.getTypeParser(oid, format)) },
    });
    // A connection that is lost between two queries fails the next query.
    client.on("error", () => undefined);
    await client.connect();
    await client.query("BEGIN TRANSACTION READ ONLY ISOLATION LEVEL REPEATABLE READ");
    return client;
  });
}

/** Types with texts that stay as they are: without a zone, a date and a time name no moment. */
const TEXTS: ReadonlySet<number> = new Set([1082, 1114]);

async function attempt<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new UsageError(`${what}: ${withoutSecrets(messageOf(error) || codeOf(error))}`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no reason is known";
}

/** A message without the connection's address and password. */
function withoutSecrets(message: string): string {
  const url = process.env.DATABASE_URL ?? "";
  const written = /\/\/[^/@]*?:([^/]*)@/.exec(url)?.[1] ?? "";
  const secrets = [url, written, decoded(written), process.env.PGPASSWORD ?? ""].filter((secret) => secret !== "");
  return secrets.reduce((text, secret) => text.replaceAll(secret, "***"), message);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function cellsOf(row: unknown): readonly unknown[] {
  return Array.isArray(row) ? row : [];
}

/** A point in time becomes its RFC 3339 text, as policies read it. */
function jsonValue(value: unknown): unknown {
  return value instanceof Date && Number.isFinite(value.getTime()) ? value.toISOString() : value;
}
