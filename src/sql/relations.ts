/** Places for lists that have one row of another table for each element. */

import { mapCondition, type SqlPathResolver, type SqlPlace } from "./dialect.js";
import type { SqlColumn, SqlRelation } from "./mapping.js";
import { MISSING_PLACE } from "./missing-place.js";
import { operator } from "./scalars.js";
import { FALSE, joinedSql, quotedIdentifier, type Sql, sql, TRUE } from "./sql-pieces.js";

/** The part of a dialect that relations use. */
export interface RelationDialect {
  placeOf(column: Sql, as: SqlColumn): SqlPathResolver | undefined;
  parameter(value: number): Sql;
}

/**
 * The place of a list. `own` gives the row's column of a name. `alias` must be unique in the query. Undefined: the
 * database lacks a column type that the relation uses.
 */
export function relationPlace(
  relation: SqlRelation,
  own: (column: string) => Sql,
  alias: string,
  dialect: RelationDialect,
): SqlPathResolver | undefined {
  const element = elementOf(relation, alias, dialect);
  if (element === undefined) return undefined;
  const links = Object.entries(relation.on).map(
    ([there, here]) => sql`${alias}.${quotedIdentifier(there)} = ${own(here)}`,
  );
  const rows = sql`${quotedIdentifier(relation.table)} AS ${alias} WHERE ${joinedSql([...links, ...element.isThere], " AND ")}`;
  return (path) => (path.length === 0 ? listPlace(rows, element.below, dialect) : MISSING_PLACE);
}

interface Element {
  readonly below: SqlPathResolver;
  /** Conditions that make a row of the other table an element. */
  readonly isThere: readonly Sql[];
}

function elementOf(relation: SqlRelation, alias: string, dialect: RelationDialect): Element | undefined {
  const place = (column: SqlColumn) => dialect.placeOf(sql`${alias}.${quotedIdentifier(column.column)}`, column);
  if (relation.value !== undefined) {
    const below = place(relation.value);
    const { null: onNull = "absent" } = relation.value;
    return below && { below, isThere: onNull === "absent" ? [below([])?.present() ?? TRUE] : [] };
  }
  const fields = new Map<string, SqlPathResolver>();
  for (const [name, column] of Object.entries(relation.fields)) {
    const below = place(column);
    if (below === undefined) return undefined;
    fields.set(name, below);
  }
  const whole = mapPlace(fields);
  return {
    below: ([name, ...path]) => (name === undefined ? whole : (fields.get(name)?.(path) ?? MISSING_PLACE)),
    isThere: [],
  };
}

/** A list that exists for every row and may be empty. `rows` selects its elements, up to and including `WHERE …`. */
function listPlace(rows: Sql, element: SqlPathResolver, dialect: RelationDialect): SqlPlace {
  const some = (where: Sql): Sql => (where === FALSE ? FALSE : sql`EXISTS (SELECT 1 FROM ${rows} AND (${where}))`);
  const every = (where: Sql): Sql => sql`NOT EXISTS (SELECT 1 FROM ${rows} AND (${where}) IS NOT TRUE)`;
  return {
    ...MISSING_PLACE,
    present: () => TRUE,
    readable: () => TRUE,
    type: (types) => (types.includes("array") ? TRUE : FALSE),
    includes: (value) => mapCondition(element([])?.isIn([value]), some),
    size: (symbol, value) => sql`(SELECT count(*) FROM ${rows}) ${operator(symbol)} ${dialect.parameter(value)}`,
    same: () => undefined,
    each: (over, alias) =>
      over === "keys"
        ? MISSING_PLACE.each(over, alias)
        : { element, quantified: (op, where) => (op === "some" ? some(where) : every(where)) },
  };
}

/** An element that is a whole row of the other table. */
function mapPlace(fields: ReadonlyMap<string, SqlPathResolver>): SqlPlace {
  return {
    ...MISSING_PLACE,
    present: () => TRUE,
    readable: () => TRUE,
    type: (types) => (types.includes("object") ? TRUE : FALSE),
    includes: (value) => (typeof value === "string" ? fields.get(value)?.([])?.present() : undefined) ?? FALSE,
    size: () => undefined,
    same: () => undefined,
    each: () => undefined,
  };
}
