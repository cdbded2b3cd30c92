/**
 * Query builders number the placeholders of a condition themselves, from its `strings` and `values`.
 *
 * @module-tag long
 */

import { sql as drizzle } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import { expect, test } from "vitest";
import type { Filter } from "../../../src/index.js";
import { toSqlOrThrow } from "../../../src/sql/index.js";

const filter: Filter = {
  op: "all",
  of: [
    { op: "in", term: { of: "attr", path: ["team"] }, values: ["a"] },
    { op: "in", term: { of: "attr", path: ["stage"] }, values: ["b", "c"] },
  ],
};
const column = (name: string) => [name, { column: name, type: "text", null: "never" }] as const;
const attributes = Object.fromEntries(["team", "stage"].map(column));
const condition = toSqlOrThrow(filter, { dialect: "postgres", attributes }, 3);
const sqlText = '("team" = $1::text AND "stage" IN ($2::text, $3::text))';

test("the condition itself begins at the number that it is given", () => {
  expect(condition.text).toBe('("team" = $3::text AND "stage" IN ($4::text, $5::text))');
});

test("Drizzle", () => {
  const query = new PgDialect().sqlToQuery(drizzle(condition.strings, ...condition.values));
  expect(query).toMatchObject({ sql: sqlText, params: ["a", "b", "c"] });
});

test("Kysely", () => {
  const kysely = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const query = sql(condition.strings, ...condition.values).compile(kysely);
  expect(query).toMatchObject({ sql: sqlText, parameters: ["a", "b", "c"] });
});
