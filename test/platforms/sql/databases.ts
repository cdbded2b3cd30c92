/** Tables of rows in the databases that `keyward/sql` supports. */

import { Client } from "pg";
import initSqlJs from "sql.js";
import { afterAll, beforeAll } from "vitest";
import { startPostgres } from "../../../service/test/support/postgres-server.js";
import { isObject, type JsonValue } from "../../../src/cel/json.js";
import type { SqlColumn, SqlCondition, SqlMapping, SqlRelation } from "../../../src/sql/index.js";

export interface TableRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: JsonValue };
}

/** The attributes that have columns or tables of their own; all others share one JSON column. */
export interface Columns {
  readonly [name: string]: SqlColumn | SqlRelation;
}

export interface Database {
  readonly dialect: SqlMapping["dialect"];
  /** Writes the rows to new tables. The table's `where` returns the indexes of the rows that satisfy a condition. */
  table(rows: readonly TableRow[], columns: Columns): Promise<Table>;
  /** Runs a statement; returns the rows as a program reads them. */
  run(text: string, values?: Statement["values"]): Promise<readonly { readonly [column: string]: unknown }[]>;
  close(): Promise<void>;
}

export interface Table {
  readonly mapping: SqlMapping;
  where(condition: SqlCondition): Promise<ReadonlySet<number>>;
}

const TYPES = {
  postgres: { text: "text", number: "double precision", boolean: "boolean", json: "jsonb", "text[]": "text[]" },
  sqlite: { text: "TEXT", number: "REAL", boolean: "INTEGER", json: "TEXT", "text[]": "TEXT" },
} as const;

interface Statement {
  readonly text: string;
  readonly values: readonly (string | number | boolean | null | readonly JsonValue[])[];
}

/** The statements that create and fill the tables: a column for each attribute in `columns`, and one for all others. */
function statements(dialect: SqlMapping["dialect"], rows: readonly TableRow[], columns: Columns): readonly Statement[] {
  const own = Object.entries(columns).flatMap(([name, as]) => ("column" in as ? [[name, as] as const] : []));
  const lists = Object.entries(columns).flatMap(([name, as]) => ("column" in as ? [] : [[name, as] as const]));
  const kept = (row: TableRow) => own.map(([name, column]) => asKept(attribute(row, name), column, dialect));
  return [
    ...made(
      "rows",
      ['"rn" integer', '"id" text NOT NULL', ...own.map(([, column]) => defined(column, dialect))],
      dialect,
    ),
    ...rows.map((row, at) => {
      const others = Object.entries(row.attr).filter(([name]) => !Object.hasOwn(columns, name));
      return inserted("rows", [at, row.id, ...kept(row), JSON.stringify(Object.fromEntries(others))], dialect);
    }),
    ...lists.flatMap(([name, relation]) => related(rows, name, relation, dialect)),
  ];
}

/** The table of a relation: one row for each element, with the number of the row that it belongs to. */
function related(
  rows: readonly TableRow[],
  name: string,
  { table, value, fields = {} }: SqlRelation,
  dialect: SqlMapping["dialect"],
): readonly Statement[] {
  const columns = value === undefined ? Object.values(fields) : [value];
  const elements = rows.flatMap((row, at) => {
    const list = attribute(row, name);
    return (Array.isArray(list) ? list : []).map((element) => [at, element] as const);
  });
  const values = (element: JsonValue) =>
    value === undefined
      ? Object.entries(fields).map(([field, column]) => asKept(within(element, field), column, dialect))
      : [asKept(element, value, dialect)];
  return [
    ...made(table, ['"row" integer', ...columns.map((column) => defined(column, dialect))], dialect),
    ...elements.map(([at, element]) => inserted(table, [at, ...values(element), "{}"], dialect)),
  ];
}

function made(table: string, columns: readonly string[], dialect: SqlMapping["dialect"]): readonly Statement[] {
  const others = `"others" ${TYPES[dialect].json} NOT NULL`;
  return [
    { text: `DROP TABLE IF EXISTS "${table}"`, values: [] },
    { text: `CREATE TABLE "${table}" (${[...columns, others].join(", ")})`, values: [] },
  ];
}

function inserted(table: string, values: Statement["values"], dialect: SqlMapping["dialect"]): Statement {
  const places = values.map((_, i) => (dialect === "postgres" ? `$${i + 1}` : "?"));
  return { text: `INSERT INTO "${table}" VALUES (${places.join(", ")})`, values };
}

function defined({ column, type }: SqlColumn, dialect: SqlMapping["dialect"]): string {
  return `"${column.replaceAll('"', '""')}" ${TYPES[dialect][type]}`;
}

function attribute({ attr }: TableRow, name: string): JsonValue | undefined {
  return Object.hasOwn(attr, name) ? attr[name] : undefined;
}

function within(element: JsonValue, field: string): JsonValue | undefined {
  return isObject(element) ? element[field] : undefined;
}

function asKept(
  value: JsonValue | undefined,
  { type }: SqlColumn,
  dialect: SqlMapping["dialect"],
): Statement["values"][number] {
  if (value === undefined || (value === null && type !== "json")) return null;
  if (type === "json" || (typeof value === "object" && !Array.isArray(value))) return JSON.stringify(value);
  return typeof value === "boolean" && dialect === "sqlite" ? Number(value) : value;
}

function mappingOf(dialect: SqlMapping["dialect"], columns: Columns): SqlMapping {
  return { dialect, table: "rows", id: "id", attributes: columns, others: "others" };
}

/** A separate server, or the reason that there is none. */
export async function openPostgres(): Promise<Database | string> {
  const server = await startPostgres();
  if (typeof server === "string") return server;
  const client = new Client({ connectionString: `${server.url}/postgres` });
  await client.connect();
  return {
    dialect: "postgres",
    table: async (rows, columns) => {
      for (const { text, values } of statements("postgres", rows, columns)) await client.query(text, [...values]);
      return {
        mapping: mappingOf("postgres", columns),
        where: async ({ text, values }) => {
          const found = await client.query<{ rn: number }>(`SELECT "rn" FROM "rows" WHERE ${text}`, [...values]);
          return new Set(found.rows.map(({ rn }) => rn));
        },
      };
    },
    run: async (text, values = []) => (await client.query(text, [...values])).rows,
    close: async () => {
      await client.end();
      await server.stop();
    },
  };
}

export async function openSqlite(): Promise<Database> {
  const { Database: Sqlite } = await initSqlJs();
  const db = new Sqlite();
  return {
    dialect: "sqlite",
    table: async (rows, columns) => {
      for (const { text, values } of statements("sqlite", rows, columns)) db.run(text, bound(values));
      return {
        mapping: mappingOf("sqlite", columns),
        where: async ({ text, values }) => {
          const [found] = db.exec(
            `SELECT "rn" FROM "rows" WHERE ${text}`,
            values.map((value) => (typeof value === "boolean" ? Number(value) : value)),
          );
          return new Set((found?.values ?? []).map(([rn]) => Number(rn)));
        },
      };
    },
    run: async (text, values = []) => {
      const [found] = db.exec(text, bound(values));
      return (found?.values ?? []).map((row) => Object.fromEntries(row.map((value, i) => [found?.columns[i], value])));
    },
    close: async () => db.close(),
  };
}

/** Converts values to those that SQLite accepts. */
function bound(values: Statement["values"]): (string | number | null)[] {
  return values.map((value) => {
    if (typeof value === "boolean") return Number(value);
    return typeof value === "string" || typeof value === "number" ? value : null;
  });
}

/** The databases of the tests, by name. */
export const DATABASES = [
  ["PostgreSQL", openPostgres],
  ["SQLite", openSqlite],
] as const;

/** Opens a database for the tests of a suite and closes it afterwards. Returns the reason if there is no database. */
export function openedFor(open: () => Promise<Database | string>): () => Database | string {
  let database: Database | string = "it is not open yet";
  beforeAll(async () => {
    database = await open();
  });
  afterAll(async () => {
    if (typeof database !== "string") await database.close();
  });
  return () => database;
}
