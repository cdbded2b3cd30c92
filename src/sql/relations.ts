/** Places for lists that have one row of another table for each element. */

import { type Below, type Place, within } from "./dialect.js";
import type { Column, Relation } from "./mapping.js";
import { NOWHERE } from "./nowhere.js";
import { FALSE, joined, quoted, type Sql, sql, TRUE } from "./pieces.js";
import { operator } from "./scalars.js";

/** The part of a dialect that relations use. */
export interface RelationDialect {
  placeOf(column: Sql, as: Column): Below | undefined;
  parameter(value: number): Sql;
}

/**
 * The place of a list. `own` gives the row's column of a name. `alias` must be unique in the query. Undefined: the
 * database lacks a column type that the relation uses.
 */
export function relationPlace(
  relation: Relation,
  own: (column: string) => Sql,
  alias: string,
  dialect: RelationDialect,
): Below | undefined {
  const element = elementOf(relation, alias, dialect);
  if (element === undefined) return undefined;
  const links = Object.entries(relation.on).map(([there, here]) => sql`${alias}.${quoted(there)} = ${own(here)}`);
  const rows = sql`${quoted(relation.table)} AS ${alias} WHERE ${joined([...links, ...element.isThere], " AND ")}`;
  return (path) => (path.length === 0 ? listPlace(rows, element.below, dialect) : NOWHERE);
}

interface Element {
  readonly below: Below;
  /** Conditions that make a row of the other table an element. */
  readonly isThere: readonly Sql[];
}

function elementOf(relation: Relation, alias: string, dialect: RelationDialect): Element | undefined {
  const place = (column: Column) => dialect.placeOf(sql`${alias}.${quoted(column.column)}`, column);
  if (relation.value !== undefined) {
    const below = place(relation.value);
    const { null: onNull = "absent" } = relation.value;
    return below && { below, isThere: onNull === "absent" ? [below([])?.present() ?? TRUE] : [] };
  }
  const fields = new Map<string, Below>();
  for (const [name, column] of Object.entries(relation.fields)) {
    const below = place(column);
    if (below === undefined) return undefined;
    fields.set(name, below);
  }
  const whole = mapPlace(fields);
  return {
    below: ([name, ...path]) => (name === undefined ? whole : (fields.get(name)?.(path) ?? NOWHERE)),
    isThere: [],
  };
}

/** A list that exists for every row and may be empty. `rows` selects its elements, up to and including `WHERE …`. */
function listPlace(rows: Sql, element: Below, dialect: RelationDialect): Place {
  const some = (where: Sql): Sql => (where === FALSE ? FALSE : sql`EXISTS (SELECT 1 FROM ${rows} AND (${where}))`);
  const every = (where: Sql): Sql => sql`NOT EXISTS (SELECT 1 FROM ${rows} AND (${where}) IS NOT TRUE)`;
  return {
    ...NOWHERE,
    present: () => TRUE,
    readable: () => TRUE,
    type: (types) => (types.includes("array") ? TRUE : FALSE),
    includes: (value) => within(element([])?.isIn([value]), some),
    size: (symbol, value) => sql`(SELECT count(*) FROM ${rows}) ${operator(symbol)} ${dialect.parameter(value)}`,
    same: () => undefined,
    each: (over, alias) =>
      over === "keys"
        ? NOWHERE.each(over, alias)
        : { element, quantified: (op, where) => (op === "some" ? some(where) : every(where)) },
  };
}

/** An element that is a whole row of the other table. */
function mapPlace(fields: ReadonlyMap<string, Below>): Place {
  return {
    ...NOWHERE,
    present: () => TRUE,
    readable: () => TRUE,
    type: (types) => (types.includes("object") ? TRUE : FALSE),
    includes: (value) => (typeof value === "string" ? fields.get(value)?.([])?.present() : undefined) ?? FALSE,
    size: () => undefined,
    same: () => undefined,
    each: () => undefined,
  };
}
