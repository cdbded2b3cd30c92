/** `keyward/sql`: turns filters of rows into conditions of queries, for PostgreSQL and SQLite. */

export type { SqlColumn, SqlMapping, SqlRelation } from "./mapping.js";
export { type SqlCondition, type SqlMappingIssue, toSql, toSqlOrThrow } from "./to-sql.js";
