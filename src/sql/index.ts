/** `keyward/sql`: turns filters of rows into conditions of queries, for PostgreSQL and SQLite. */

export type { Column, Mapping, Relation } from "./mapping.js";
export { type MappingIssue, type SqlCondition, toSql, toSqlOrThrow } from "./to-sql.js";
