/** How a table stores the attributes of rows. */

import { ANY, checkOptions, OBJECT, type OptionTable, required, TEXT } from "../policy/options.js";

/**
 * The type of a column. All its values must have this type: a `text` column of SQLite must not contain numbers, and a
 * `json` column must contain only JSON. Numbers are doubles, as in JavaScript. Texts are compared byte by byte, so a
 * column must not have a collation that treats different texts as equal.
 *
 * - `json`: `jsonb` or `json` of PostgreSQL, JSON text of SQLite; a value of any type.
 * - `text[]`: of PostgreSQL, a list of texts.
 */
export type SqlColumnType = "text" | "number" | "boolean" | "json" | "text[]";

const COLUMN_TYPES: readonly string[] = ["text", "number", "boolean", "json", "text[]"] satisfies SqlColumnType[];

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

const NULL_MEANINGS: readonly unknown[] = ["absent", "null", "never", undefined] satisfies SqlColumn["null"][];

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

const MAPPING_OPTIONS = {
  dialect: ANY,
  table: TEXT,
  id: TEXT,
  attributes: OBJECT,
  others: TEXT,
} satisfies OptionTable<SqlMapping>;

const COLUMN_OPTIONS = { column: required(TEXT), type: ANY, null: ANY } satisfies OptionTable<SqlColumn>;

const RELATION_OPTIONS = {
  table: required(TEXT),
  on: required(OBJECT),
  value: OBJECT,
  fields: OBJECT,
} satisfies OptionTable<SqlRelation>;

/** Throws a `TypeError` for a field that a mapping, a column or a relation does not have, and for one of another type. */
export function checkMapping(mapping: SqlMapping): void {
  checkOptions(mapping, MAPPING_OPTIONS);
  for (const [name, kept] of Object.entries(mapping.attributes ?? {})) {
    const within = `attributes.${name}`;
    const isColumn = !OBJECT.has(kept) || "column" in kept || !("table" in kept);
    checkOptions(kept, isColumn ? COLUMN_OPTIONS : RELATION_OPTIONS, within);
    if (isColumn) continue;
    if (kept.value !== undefined) checkOptions(kept.value, COLUMN_OPTIONS, `${within}.value`);
    for (const [field, column] of Object.entries(kept.fields ?? {}))
      checkOptions(column, COLUMN_OPTIONS, `${within}.fields.${field}`);
  }
}

/** A gap or a mistake in a mapping. */
export interface SqlMappingIssue {
  /** The name of the attribute; `""` for the id. */
  readonly attribute: string;
  readonly message: string;
}

/** The columns of a mapping with a type, or a meaning of `NULL`, that there is not. A program in JavaScript can have some. */
export function unknownColumns({ attributes = {} }: SqlMapping): readonly SqlMappingIssue[] {
  return Object.entries(attributes).flatMap(([attribute, kept]) =>
    columnsOf(kept).flatMap((column) => {
      const fault = faultOf(column);
      return fault === undefined
        ? []
        : [{ attribute, message: `the column of the attribute ${JSON.stringify(attribute)} has ${fault}` }];
    }),
  );
}

function columnsOf(kept: SqlColumn | SqlRelation): readonly SqlColumn[] {
  if ("column" in kept) return [kept];
  return kept.fields === undefined ? [kept.value] : Object.values(kept.fields);
}

function faultOf({ type, null: meaning }: SqlColumn): string | undefined {
  if (!COLUMN_TYPES.includes(type))
    return `the type ${JSON.stringify(type)}: it must be one of ${COLUMN_TYPES.join(", ")}`;
  if (NULL_MEANINGS.includes(meaning)) return undefined;
  return `the meaning ${JSON.stringify(meaning)} of NULL: it must be absent, null or never`;
}
