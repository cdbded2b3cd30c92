/** The SQL that asks whether a store can serve requests. */

import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { schema } from "./schema.js";
import type { Statement } from "./statement.js";

/** Fails if the table or a column is missing, or if this login may not read it. */
function probe(table: PgTable): string {
  const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
  return `select ${columns.join(", ")} from ${getTableName(table)} where false`;
}

const { audit, answers, ...changed } = schema;

/** Requests add rows to these tables, and change none: the login may lack that privilege. */
const ADDED_TO = [audit, answers].map(probe);

/** Locking fails as well if this login may not change the table, and in a database that takes no changes. */
const CHANGED = [...Object.values(changed).map(probe), "select from credits where false"].map(
  (select) => `${select} for update`,
);

const PROBES = [...ADDED_TO, ...CHANGED].map((select) => `exists (${select})`);

/** Reads and changes no row. A standby refuses it, and so does a database that gives out no transaction ids. */
export const PING: Statement = {
  name: "ping",
  text: `select pg_current_xact_id()::text as id, ${PROBES.join(" or ")} as found`,
};
