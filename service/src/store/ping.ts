/** The SQL that asks whether a store can serve requests. */

import { getTableColumns, getTableName } from "drizzle-orm";
import { schema } from "./schema.js";
import type { Statement } from "./statement.js";

/** Fails if the table or a column is missing, if this login may not read or change it, or if no changes are taken. */
const probe = (table: string, columns: readonly string[]) =>
  `exists (select ${columns.join(", ")} from ${table} where false for update)`;

const PROBES = Object.values(schema).map((table) =>
  probe(
    getTableName(table),
    Object.values(getTableColumns(table)).map(({ name }) => name),
  ),
);

/** Reads and changes no row. A standby refuses it, and so does a database that gives out no transaction ids. */
export const PING: Statement = {
  name: "ping",
  text: `select pg_current_xact_id()::text as id, ${[...PROBES, probe("credits", ["key_id"])].join(" or ")} as found`,
};
