/** How the attributes of rows are kept in a table. */

/**
 * What a column holds. It holds nothing else: a `text` column of SQLite no numbers, a `json` column JSON. Numbers are those
 * that JavaScript has (doubles); texts are compared byte by byte, so a column whose collation takes different texts for
 * equal is none.
 *
 * - `json`: `jsonb` or `json` of PostgreSQL, JSON text of SQLite; a value of any type.
 * - `text[]`: of PostgreSQL, a list of texts.
 */
export type ColumnType = "text" | "number" | "boolean" | "json" | "text[]";

export interface Column {
  readonly column: string;
  readonly type: ColumnType;
  /**
   * What SQL's `NULL` in it says of the attribute: that it is `absent`, that it is there and `null`, or that there is none,
   * since the column is `NOT NULL` (`never`). The default is `null` for an attribute that the policies' schema requires and
   * lets be null, and otherwise `absent`. The resources that `decide` is given have to be made of rows in the same way.
   */
  readonly null?: "absent" | "null" | "never";
}

/**
 * A list that another table has a row for each element of, in whatever order. The attribute is there for every row: where
 * the other table has none for it, as an empty list. The resources that `decide` is given have to be made in the same way.
 */
export type Relation = {
  /** The other table. */
  readonly table: string;
  /** Which of its rows belong to a row: by its columns, the columns of the row that they equal. There is one at least. */
  readonly on: { readonly [column: string]: string };
} & (
  | {
      /** Elements are the values of a column; where it is NULL, and that is `absent`, a row is no element. */
      readonly value: Column;
      readonly fields?: never;
    }
  | {
      /** Elements are maps with these fields, and no others. */
      readonly fields: { readonly [name: string]: Column };
      readonly value?: never;
    }
);

export interface Mapping {
  readonly dialect: "postgres" | "sqlite";
  /** The name by which the query calls the table, if columns need one. With relations they do. */
  readonly table?: string;
  /** The column of the id. It is text, and not null. */
  readonly id?: string;
  /** By the names of attributes. What is in one of them is in its JSON. */
  readonly attributes?: { readonly [name: string]: Column | Relation };
  /** A JSON column with the attributes that have no column of their own, as one object, which is not null. */
  readonly others?: string;
}
