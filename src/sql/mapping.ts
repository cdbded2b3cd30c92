/** How a table stores the attributes of rows. */

/**
 * The type of a column. All its values must have this type: a `text` column of SQLite must not contain numbers, and a
 * `json` column must contain only JSON. Numbers are doubles, as in JavaScript. Texts are compared byte by byte, so a
 * column must not have a collation that treats different texts as equal.
 *
 * - `json`: `jsonb` or `json` of PostgreSQL, JSON text of SQLite; a value of any type.
 * - `text[]`: of PostgreSQL, a list of texts.
 */
export type SqlColumnType = "text" | "number" | "boolean" | "json" | "text[]";

export interface SqlColumn {
  readonly column: string;
  readonly type: SqlColumnType;
  /**
   * The meaning of SQL's `NULL` in the column: the attribute is `absent`, or it exists and is `null`, or the column is
   * `NOT NULL` (`never`). Default: `null` for an attribute that the policies' schema requires and lets be null, otherwise
   * `absent`. Resources for `decide` must be made from rows in the same way.
   */
  readonly null?: "absent" | "null" | "never";
}

/**
 * A list with one row of another table for each element, in any order. The attribute exists for every row: without rows
 * in the other table it is an empty list. Resources for `decide` must be made in the same way.
 */
export type SqlRelation = {
  /** The other table. */
  readonly table: string;
  /** Links the other table to a row: each column of the other table equals the named column of the row. At least one. */
  readonly on: { readonly [column: string]: string };
} & (
  | {
      /** Elements are the values of a column. A row with NULL is not an element if NULL means `absent`. */
      readonly value: SqlColumn;
      readonly fields?: never;
    }
  | {
      /** Elements are maps with exactly these fields. */
      readonly fields: { readonly [name: string]: SqlColumn };
      readonly value?: never;
    }
);

export interface SqlMapping {
  readonly dialect: "postgres" | "sqlite";
  /** The name of the table in the query, if columns need one. It is required with relations. */
  readonly table?: string;
  /** The column of the id. It must be text and not null. */
  readonly id?: string;
  /** The columns and relations of attributes, by name. Members of an attribute are read from its JSON. */
  readonly attributes?: { readonly [name: string]: SqlColumn | SqlRelation };
  /** A JSON column for the attributes without a column of their own, as one object. It must not be null. */
  readonly others?: string;
}
