/** Lists that another table has a row for each element of. */

import type { JsonType, Order, Scalar } from "../engine/residual/filter.js";
import type { Below, Each, Place } from "./dialect.js";
import type { Column, Relation } from "./mapping.js";
import { NOWHERE } from "./nowhere.js";
import { FALSE, joined, quoted, type Sql, sql, TRUE } from "./pieces.js";
import { operator } from "./scalars.js";

/** What relations need of a database. */
export interface RelationDialect {
  placeOf(column: Sql, as: Column): Below | undefined;
  parameter(value: number): Sql;
}

/**
 * The list of a row. `own`: the row's column of a name; `alias`: a name that nothing else in the query has. Undefined: the
 * database has no columns of such a type.
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
  return (path) => (path.length === 0 ? new ListPlace(rows, element.below, dialect) : NOWHERE);
}

interface Element {
  readonly below: Below;
  /** What says that a row of the other table is an element. */
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
  const whole = new MapPlace(fields);
  return {
    below: ([name, ...path]) => (name === undefined ? whole : (fields.get(name)?.(path) ?? NOWHERE)),
    isThere: [],
  };
}

/** A list that is there for every row: without rows of the other table it is empty. */
class ListPlace implements Place {
  private readonly rows: Sql;
  private readonly element: Below;
  private readonly dialect: RelationDialect;

  constructor(rows: Sql, element: Below, dialect: RelationDialect) {
    this.rows = rows;
    this.element = element;
    this.dialect = dialect;
  }

  present(): Sql {
    return TRUE;
  }

  type(types: readonly JsonType[]): Sql {
    return types.includes("array") ? TRUE : FALSE;
  }

  isIn(): Sql {
    return FALSE;
  }

  order(): Sql {
    return FALSE;
  }

  includes(value: Scalar): Sql | undefined {
    const isIt = this.element([])?.isIn([value]);
    return isIt && this.some(isIt);
  }

  text(): Sql {
    return FALSE;
  }

  size(symbol: Order | "==", value: number): Sql {
    return sql`(SELECT count(*) FROM ${this.rows}) ${operator(symbol)} ${this.dialect.parameter(value)}`;
  }

  same(): undefined {
    return undefined;
  }

  each(over: "items" | "keys"): Each {
    if (over === "keys") return { element: () => NOWHERE, quantified: () => FALSE };
    return {
      element: this.element,
      quantified: (op, where) =>
        op === "some" ? this.some(where) : sql`NOT EXISTS (SELECT 1 FROM ${this.rows} AND (${where}) IS NOT TRUE)`,
    };
  }

  private some(where: Sql): Sql {
    return where === FALSE ? FALSE : sql`EXISTS (SELECT 1 FROM ${this.rows} AND (${where}))`;
  }
}

/** An element that is a row of the other table. */
class MapPlace implements Place {
  private readonly fields: ReadonlyMap<string, Below>;

  constructor(fields: ReadonlyMap<string, Below>) {
    this.fields = fields;
  }

  present(): Sql {
    return TRUE;
  }

  type(types: readonly JsonType[]): Sql {
    return types.includes("object") ? TRUE : FALSE;
  }

  isIn(): Sql {
    return FALSE;
  }

  order(): Sql {
    return FALSE;
  }

  includes(value: Scalar): Sql | undefined {
    const field = typeof value === "string" ? this.fields.get(value)?.([]) : undefined;
    return field === undefined ? FALSE : field.present();
  }

  text(): Sql {
    return FALSE;
  }

  size(): undefined {
    return undefined;
  }

  same(): undefined {
    return undefined;
  }

  each(): undefined {
    return undefined;
  }
}
