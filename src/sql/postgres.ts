/** The dialect of PostgreSQL, from version 12 on. */

import type { FilterOrder, FilterScalar, JsonType } from "../engine/residual/filter.js";
import {
  hasNul,
  isIllFormed,
  type SqlPathResolver,
  type SqlPlace,
  type SqlQuantifier,
  type SqlTestCondition,
  WiderCondition,
} from "./dialect.js";
import { decimalsOf, INFINITE, opposite } from "./doubles.js";
import type { SqlColumn } from "./mapping.js";
import { MISSING_PLACE } from "./missing-place.js";
import { operator, ScalarColumnPlace, type ScalarDialect } from "./scalars.js";
import { ALIAS, FALSE, joinedSql, Parameter, quotedIdentifier, type Sql, sql, TRUE } from "./sql-pieces.js";

function parameter(value: string | number | boolean): Sql {
  if (typeof value === "string") return text(value);
  if (typeof value === "boolean") return sql`${new Parameter(value)}::boolean`;
  return number(value);
}

function text(value: string): Sql {
  return sql`${new Parameter(value)}::text`;
}

/** A whole number is passed as one, so that an index of an integer column can serve. */
function number(value: number): Sql {
  return Number.isSafeInteger(value) ? sql`${new Parameter(value)}::bigint` : sql`${new Parameter(value)}::float8`;
}

function json(value: FilterScalar): Sql {
  return jsonText(JSON.stringify(value));
}

function jsonText(text: string): Sql {
  return sql`${new Parameter(text)}::jsonb`;
}

/**
 * The condition that JavaScript reads a `jsonb` number as `value`. `jsonb` stores decimals, so this compares with all
 * decimals that are read as this double. Only numbers sort between two numbers, so the type needs no test.
 */
function isRead(json: Sql, value: number): Sql {
  const { low, high, isClosed } = decimalsOf(value);
  const or = isClosed ? "=" : "";
  return sql`(${json} >${or} ${jsonText(low)} AND ${json} <${or} ${jsonText(high)})`;
}

function isReadInOrder(json: Sql, symbol: FilterOrder, value: number): Sql {
  const { low, high, isClosed } = decimalsOf(value);
  // The ends of the interval are read as the value itself if it is closed, otherwise as its neighbours.
  const end = (symbol.length === 2) === isClosed ? "=" : "";
  return symbol.startsWith("<")
    ? sql`(${json} <${end} ${jsonText(symbol === "<" ? low : high)} AND ${json} > ${jsonText(opposite(INFINITE))})`
    : sql`(${json} >${end} ${jsonText(symbol === ">" ? high : low)} AND ${json} < ${jsonText(INFINITE)})`;
}

function isRepresentable(json: Sql): Sql {
  return sql`(${json} > ${jsonText(opposite(INFINITE))} AND ${json} < ${jsonText(INFINITE)})`;
}

/**
 * Whether JavaScript reads a number without a fraction. Decimals read as 0 are tested first: `float8` may not represent
 * them.
 */
function isReadAsInteger(json: Sql): Sql {
  return sql`CASE WHEN ${isRead(json, 0)} THEN TRUE WHEN ${isRepresentable(json)} THEN (${json})::float8 = trunc((${json})::float8) END`;
}

const SCALARS: ScalarDialect = {
  parameter,
  bytewise: (one) => sql`${one} COLLATE "C"`,
  equalText: (one) => one,
  largest: "'1.7976931348623157e308'::float8",
  least: "'-1.7976931348623157e308'::float8",
  asDouble: (number) => sql`${number}::float8`,
  canHaveNul: false,
  text: (one, how, value) => {
    switch (how) {
      case "startsWith":
        return sql`starts_with(${one}, ${text(value)})`;
      case "endsWith":
        return sql`right(${one}, char_length(${text(value)})) = ${text(value)}`;
      case "contains":
        return sql`strpos(${one}, ${text(value)}) > 0`;
    }
  },
  length: (one) => sql`char_length(${one})`,
};

/** Whether no `jsonb` can contain a value. */
function isImpossible(value: FilterScalar): boolean {
  return typeof value === "string" && (hasNul(value) || isIllFormed(value));
}

export const POSTGRES = { placeOf: postgresPlace, parameter };

function postgresPlace(column: Sql, { type, null: onNull = "absent" }: SqlColumn): SqlPathResolver {
  switch (type) {
    case "json": {
      const whole = sql`(${column})::jsonb`;
      return jsonBelow(onNull === "null" ? sql`COALESCE(${whole}, 'null'::jsonb)` : whole);
    }
    case "text[]":
      return (path) => (path.length === 0 ? new PostgresTextArrayPlace(column, onNull) : MISSING_PLACE);
    default:
      return (path) => (path.length === 0 ? new ScalarColumnPlace(column, type, onNull, SCALARS) : MISSING_PLACE);
  }
}

function jsonBelow(json: Sql): SqlPathResolver {
  return (path) => {
    if (path.some(isImpossible)) return MISSING_PLACE;
    return new PostgresJsonPlace(path.reduce<Sql>((within, name) => sql`(${within} -> ${text(name)})`, json));
  };
}

class PostgresJsonPlace implements SqlPlace {
  private readonly json: Sql;

  constructor(json: Sql) {
    this.json = json;
  }

  present(): Sql {
    return sql`${this.json} IS NOT NULL`;
  }

  readable(): Sql {
    return sql`(jsonb_typeof(${this.json}) <> 'number' OR ${isRepresentable(this.json)})`;
  }

  type(types: readonly JsonType[]): Sql {
    const { json } = this;
    const names = types.flatMap((type) => (type === "integer" || type === "number" ? [] : [`'${type}'`]));
    const isNumber = types.includes("number")
      ? [isRepresentable(json)]
      : types.includes("integer")
        ? [isReadAsInteger(json)]
        : [];
    const isOther = names.length === 0 ? [] : [sql`jsonb_typeof(${json}) IN (${names.join(", ")})`];
    return either([...isOther, ...isNumber]);
  }

  isIn(values: readonly FilterScalar[]): Sql {
    const { json: place } = this;
    const others = values.filter((value) => typeof value !== "number" && !isImpossible(value)).map(json);
    const numbers = values.flatMap((value) => (typeof value === "number" ? [isRead(place, value)] : []));
    const isOther = others.length === 0 ? [] : [sql`${place} IN (${joinedSql(others, ", ")})`];
    return either([...isOther, ...numbers]);
  }

  order(symbol: FilterOrder, value: string | number): Sql | undefined {
    if (typeof value === "number") return isReadInOrder(this.json, symbol, value);
    if (isImpossible(value)) return undefined;
    return this.where("string", sql`${SCALARS.bytewise(this.content)} ${symbol} ${text(value)}`);
  }

  includes(value: FilterScalar): Sql {
    if (isImpossible(value)) return FALSE;
    if (typeof value === "number") {
      return sql`EXISTS (SELECT 1 FROM ${rowsOf(this.json, "items", WITHIN)} WHERE ${isRead(itemOf(WITHIN), value)})`;
    }
    const isElement = this.where("array", sql`${this.json} @> ${json(value)}`);
    return typeof value === "string" ? sql`(${isElement} OR ${this.json} -> ${text(value)} IS NOT NULL)` : isElement;
  }

  text(how: "startsWith" | "endsWith" | "contains", value: string): Sql | undefined {
    if (isIllFormed(value)) return undefined;
    if (hasNul(value)) return FALSE;
    return this.where("string", value === "" ? TRUE : SCALARS.text(this.content, how, value));
  }

  size(symbol: FilterOrder | "==", value: number): Sql {
    const { json } = this;
    return sql`CASE jsonb_typeof(${json}) WHEN 'string' THEN char_length(${this.content}) WHEN 'array' THEN jsonb_array_length(${json}) WHEN 'object' THEN (SELECT count(*) FROM jsonb_object_keys(${json})) END ${operator(symbol)} ${new Parameter(value)}::float8`;
  }

  /**
   * Different decimals can be read as equal numbers, also within lists and maps. So those match if their types are equal.
   */
  same(other: SqlPlace): SqlTestCondition {
    if (!(other instanceof PostgresJsonPlace)) return undefined;
    const [a, b] = [this.json, other.json];
    const type = sql`jsonb_typeof(${a})`;
    return new WiderCondition(
      sql`(${a} = ${b} OR (${type} = jsonb_typeof(${b}) AND ${type} IN ('number', 'array', 'object')))`,
    );
  }

  each(over: "items" | "keys", alias: string): SqlQuantifier {
    const { json } = this;
    const kind = KINDS[over];
    const from = rowsOf(json, over, alias);
    const item = itemOf(alias);
    const element: SqlPathResolver =
      over === "items"
        ? jsonBelow(item)
        : (path) => (path.length === 0 ? new ScalarColumnPlace(item, "text", "never", SCALARS) : MISSING_PLACE);
    return {
      element,
      quantified: (op, where) => quantified(op, from, where, sql`jsonb_typeof(${json}) = '${kind}'`),
    };
  }

  private get content(): Sql {
    return sql`(${this.json} #>> '{}')`;
  }

  private where(type: JsonType, condition: Sql): Sql {
    return sql`(jsonb_typeof(${this.json}) = '${type}' AND ${condition})`;
  }
}

const KINDS = { items: "array", keys: "object" } as const;

/** The elements of a list, or the keys of a map, as rows. Other values have no rows. */
function rowsOf(json: Sql, over: "items" | "keys", alias: string): Sql {
  const [rows, empty] =
    over === "items" ? ["jsonb_array_elements", "'[]'::jsonb"] : ["jsonb_object_keys", "'{}'::jsonb"];
  return sql`${rows}(CASE jsonb_typeof(${json}) WHEN '${KINDS[over]}' THEN ${json} ELSE ${empty} END) AS ${alias}(${ITEM})`;
}

/** The alias in conditions of `includes`. */
const WITHIN = quotedIdentifier(`${ALIAS}0`);

/** The column of {@link rowsOf}. No column of a table may have this name. */
const ITEM = quotedIdentifier(`${ALIAS}item`);

function itemOf(alias: string): Sql {
  return sql`${alias}.${ITEM}`;
}

function either(conditions: readonly Sql[]): Sql {
  const [first = FALSE, ...others] = conditions;
  return others.length === 0 ? first : sql`(${joinedSql(conditions, " OR ")})`;
}

function quantified(op: "some" | "every", from: Sql, where: Sql, isOne: Sql): Sql {
  if (op === "some") return sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where})`;
  return sql`(${isOne} AND NOT EXISTS (SELECT 1 FROM ${from} WHERE (${where}) IS NOT TRUE))`;
}

/** A column of type `text[]`. */
class PostgresTextArrayPlace implements SqlPlace {
  private readonly column: Sql;
  private readonly onNull: "absent" | "null" | "never";

  constructor(column: Sql, onNull: "absent" | "null" | "never") {
    this.column = column;
    this.onNull = onNull;
  }

  present(): Sql {
    return this.onNull === "absent" ? this.isList() : TRUE;
  }

  readable(): Sql {
    return this.present();
  }

  type(types: readonly JsonType[]): Sql {
    const isNull = this.onNull === "null" && types.includes("null");
    if (types.includes("array")) return isNull ? TRUE : this.isList();
    return isNull ? sql`${this.column} IS NULL` : FALSE;
  }

  isIn(values: readonly FilterScalar[]): Sql {
    return this.onNull === "null" && values.includes(null) ? sql`${this.column} IS NULL` : FALSE;
  }

  order(): Sql {
    return FALSE;
  }

  includes(value: FilterScalar): Sql {
    if (value === null) return sql`array_position(${this.column}, NULL) IS NOT NULL`;
    return typeof value !== "string" || isImpossible(value) ? FALSE : sql`${text(value)} = ANY(${this.column})`;
  }

  text(): Sql {
    return FALSE;
  }

  size(symbol: FilterOrder | "==", value: number): Sql {
    return sql`cardinality(${this.column}) ${operator(symbol)} ${new Parameter(value)}::float8`;
  }

  same(): undefined {
    return undefined;
  }

  each(over: "items" | "keys", alias: string): SqlQuantifier {
    if (over === "keys") return { element: () => MISSING_PLACE, quantified: () => FALSE };
    const item = itemOf(alias);
    const from = sql`unnest(${this.column}) AS ${alias}(${ITEM})`;
    return {
      element: (path) => (path.length === 0 ? new ScalarColumnPlace(item, "text", "null", SCALARS) : MISSING_PLACE),
      quantified: (op, where) => quantified(op, from, where, sql`${this.column} IS NOT NULL`),
    };
  }

  private isList(): Sql {
    return sql`${this.column} IS NOT NULL`;
  }
}
