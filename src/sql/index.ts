/** `keyward/sql`: turns filters of rows into conditions of queries, for PostgreSQL and SQLite. */

export type { SqlColumn, SqlMapping, SqlMappingIssue, SqlRelation } from "./mapping.js";
export { type SqlCondition, toSql, toSqlOrThrow } from "./to-sql.js";
