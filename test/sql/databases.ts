/** Tables of rows in the databases that `keyward/sql` writes for. */

import { Client } from "pg";
import initSqlJs from "sql.js";
import { startPostgres } from "../../service/test/support/postgres-server.js";
import type { JsonValue } from "../../src/cel/json.js";
import type { Column, Mapping, SqlCondition } from "../../src/sql/index.js";

export interface TableRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: JsonValue };
}

export interface Database {
  readonly dialect: Mapping["dialect"];
  /** Puts the rows into a new table, and says which of them, by their place, a condition holds of. */
  table(rows: readonly TableRow[], columns: { readonly [name: string]: Column }): Promise<Table>;
  close(): Promise<void>;
}

export interface Table {
  readonly mapping: Mapping;
  where(condition: SqlCondition): Promise<ReadonlySet<number>>;
}

const TYPES = {
  postgres: { text: "text", number: "double precision", boolean: "boolean", json: "jsonb", "text[]": "text[]" },
  sqlite: { text: "TEXT", number: "REAL", boolean: "INTEGER", json: "TEXT", "text[]": "TEXT" },
} as const;

/** The statement that makes the table, with one column for each attribute that has one, and the others in one. */
function statement(dialect: Mapping["dialect"], columns: { readonly [name: string]: Column }): string {
  const own = Object.values(columns).map(
    ({ column, type }) => `"${column.replaceAll('"', '""')}" ${TYPES[dialect][type]}`,
  );
  const others = `"others" ${TYPES[dialect].json} NOT NULL`;
  return `CREATE TABLE "rows" (${['"rn" integer', '"id" text NOT NULL', ...own, others].join(", ")})`;
}

/** The values of a row, in the order of the columns. */
function valuesOf(
  { id, attr }: TableRow,
  at: number,
  dialect: Mapping["dialect"],
  columns: { readonly [name: string]: Column },
) {
  const own = Object.entries(columns).map(([name, { type }]) => {
    const value = Object.hasOwn(attr, name) ? attr[name] : undefined;
    if (value === undefined || (value === null && type !== "json")) return null;
    if (type === "json") return JSON.stringify(value);
    return type === "boolean" && dialect === "sqlite" ? Number(value) : value;
  });
  const others = Object.fromEntries(Object.entries(attr).filter(([name]) => !Object.hasOwn(columns, name)));
  return [at, id, ...own, JSON.stringify(others)];
}

function mappingOf(dialect: Mapping["dialect"], columns: { readonly [name: string]: Column }): Mapping {
  return { dialect, table: "rows", id: "id", attributes: columns, others: "others" };
}

/** A server of its own; or why there is none. */
export async function openPostgres(): Promise<Database | string> {
  const server = await startPostgres();
  if (typeof server === "string") return server;
  const client = new Client({ connectionString: `${server.url}/postgres` });
  await client.connect();
  return {
    dialect: "postgres",
    table: async (rows, columns) => {
      await client.query('DROP TABLE IF EXISTS "rows"');
      await client.query(statement("postgres", columns));
      for (const [at, row] of rows.entries()) {
        const values = valuesOf(row, at, "postgres", columns);
        await client.query(`INSERT INTO "rows" VALUES (${values.map((_, i) => `$${i + 1}`).join(", ")})`, values);
      }
      return {
        mapping: mappingOf("postgres", columns),
        where: async ({ text, values }) => {
          const found = await client.query<{ rn: number }>(`SELECT "rn" FROM "rows" WHERE ${text}`, [...values]);
          return new Set(found.rows.map(({ rn }) => rn));
        },
      };
    },
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
      db.run('DROP TABLE IF EXISTS "rows"');
      db.run(statement("sqlite", columns));
      for (const [at, row] of rows.entries()) {
        const values = valuesOf(row, at, "sqlite", columns).map((value) =>
          typeof value === "string" || typeof value === "number" ? value : null,
        );
        db.run(`INSERT INTO "rows" VALUES (${values.map(() => "?").join(", ")})`, values);
      }
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
    close: async () => db.close(),
  };
}
