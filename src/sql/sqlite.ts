/** The dialect of SQLite, from version 3.38 on. */

import type { FilterOrder, FilterScalar, JsonType } from "../engine/residual/filter.js";
import {
  hasNul,
  isIllFormed,
  mapCondition,
  type SqlPathResolver,
  type SqlPlace,
  type SqlQuantifier,
  type SqlTestCondition,
  WiderCondition,
} from "./dialect.js";
import type { SqlColumn } from "./mapping.js";
import { MISSING_PLACE } from "./missing-place.js";
import { ScalarColumnPlace, type ScalarDialect } from "./scalars.js";
import { ALIAS, FALSE, joinedSql, Parameter, quotedIdentifier, type Sql, sql, TRUE } from "./sql-pieces.js";

/** SQLite's booleans are numbers, and drivers do not accept booleans. */
function parameter(value: string | number | boolean): Sql {
  return new Parameter(typeof value === "boolean" ? Number(value) : value);
}

const SCALARS: ScalarDialect = {
  parameter,
  bytewise,
  equalText: bytewise,
  largest: "1.7976931348623157e308",
  least: "-1.7976931348623157e308",
  asDouble: (number) => sql`CAST(${number} AS REAL)`,
  canHaveNul: true,
  text: (one, how, value) => {
    switch (how) {
      case "startsWith":
        return sql`substr(${bytes(one)}, 1, length(${bytes(parameter(value))})) = ${bytes(parameter(value))}`;
      case "endsWith":
        return sql`substr(${bytes(one)}, -length(${bytes(parameter(value))})) = ${bytes(parameter(value))}`;
      case "contains":
        return sql`instr(${bytes(one)}, ${bytes(parameter(value))}) > 0`;
    }
  },
  // `length` stops at the first NUL.
  length: () => undefined,
};

function bytewise(text: Sql): Sql {
  return sql`${text} COLLATE BINARY`;
}

/** Converts a text to bytes, because text functions stop at a NUL. */
function bytes(text: Sql): Sql {
  return sql`CAST(${text} AS BLOB)`;
}

export const SQLITE = { placeOf: sqlitePlace, parameter };

function sqlitePlace(column: Sql, { type, null: onNull = "absent" }: SqlColumn): SqlPathResolver | undefined {
  if (type === "text[]") return undefined;
  if (type !== "json")
    return (path) => (path.length === 0 ? new ScalarColumnPlace(column, type, onNull, SCALARS) : MISSING_PLACE);
  return documentBelow(onNull === "null" ? sql`COALESCE(${column}, 'null')` : column);
}

function documentBelow(document: Sql): SqlPathResolver {
  const at: SqliteJsonPlace["at"] = (make) => make(sql`json_type(${document})`, sql`json_extract(${document}, '$')`);
  return placeBelow(new SqliteJsonPlace(at, document));
}

function placeBelow(place: SqliteJsonPlace): SqlPathResolver {
  return (path) => (path.every(isPlainName) ? path.reduce(memberOf, place) : undefined);
}

/** The member of a map. If a name occurs twice, `JSON.parse` takes the last, but SQLite's paths take the first. */
function memberOf(map: SqliteJsonPlace, name: string): SqliteJsonPlace {
  const { key, type, value, row } = COLUMNS;
  const from = sql`${rowsOf(map.content("object"))} WHERE ${bytewise(key)} = ${parameter(name)} ORDER BY ${row} DESC LIMIT 1`;
  return new SqliteJsonPlace((make) => sql`(SELECT ${make(type, value)} FROM ${from})`);
}

const named = (name: string) => quotedIdentifier(`${ALIAS}${name}`);

/** The columns of `json_each`, under names that no column of a table may have. */
const COLUMNS = { key: named("key"), type: named("type"), value: named("value"), row: named("row") };

/** The elements of a JSON list or map, as rows. */
function rowsOf(json: Sql): Sql {
  const { key, type, value, row } = COLUMNS;
  const [text, each] = [named("json"), named("each")];
  return sql`(SELECT ${each}."key" AS ${key}, ${each}."type" AS ${type}, ${each}."value" AS ${value}, ${each}.rowid AS ${row} FROM (SELECT ${json} AS ${text}), json_each(${text}) AS ${each})`;
}

function isPlainName(name: string): boolean {
  return !/["\\\p{Cc}\p{Surrogate}]/u.test(name);
}

/** An element of {@link rowsOf}. A list or a map in it is JSON text again. */
function elementOf(alias: string): SqliteJsonPlace {
  const { type, value } = COLUMNS;
  return new SqliteJsonPlace((make) => make(`${alias}.${type}`, `${alias}.${value}`));
}

/** The alias in conditions of `includes`. */
const WITHIN = quotedIdentifier(`${ALIAS}0`);

const TYPES: { readonly [type in JsonType]: string } = {
  null: "'null'",
  boolean: "'true', 'false'",
  integer: "'integer'",
  number: "'integer', 'real'",
  string: "'text'",
  array: "'array'",
  object: "'object'",
};

/** A range around a number: SQLite reads decimals of more than 17 digits as a near double, not always as the nearest. */
function around(value: number): readonly [below: Sql, above: Sql] {
  const margin = Math.abs(value) * 2 ** -50 + Number.MIN_VALUE;
  const ends = [value - margin, value + margin] as const;
  const [below, above] = ends.map((end) => Math.max(-Number.MAX_VALUE, Math.min(end, Number.MAX_VALUE)));
  return [parameter(below ?? value), parameter(above ?? value)];
}

/** A place within JSON text. */
class SqliteJsonPlace implements SqlPlace {
  /** Makes SQL from the type and the value at this place. It is NULL if nothing is there. */
  readonly at: (make: (type: Sql, value: Sql) => Sql) => Sql;
  /** The JSON text of the whole column, which saves making it from the value again. */
  private readonly json: Sql | undefined;

  constructor(at: SqliteJsonPlace["at"], json?: Sql) {
    this.at = at;
    this.json = json;
  }

  present(): Sql {
    return sql`${this.at((type) => type)} IS NOT NULL`;
  }

  readable(): Sql {
    const { least, largest } = SCALARS;
    return this.at(
      (type, value) =>
        sql`CASE WHEN ${type} IN (${TYPES.number}) THEN ${value} BETWEEN ${least} AND ${largest} ELSE ${type} IS NOT NULL END`,
    );
  }

  type(types: readonly JsonType[]): SqlTestCondition {
    const others = types.filter((type) => type !== "integer" && type !== "number");
    const names = others.map((type) => TYPES[type]);
    const isOther = (type: Sql) => (names.length === 0 ? FALSE : sql`${type} IN (${names.join(", ")})`);
    if (!types.includes("integer") && !types.includes("number")) return this.at(isOther);
    const { least, largest } = SCALARS;
    const isNumber = (type: Sql, value: Sql) =>
      sql`${type} IN (${TYPES.number}) AND ${value} BETWEEN ${least} AND ${largest}`;
    if (types.includes("number")) {
      return this.at((type, value) => sql`(${isOther(type)} OR (${isNumber(type, value)}))`);
    }
    const [, margin] = around(0);
    const isInteger = (value: Sql) => sql`abs(${value} - round(${value})) <= max(${margin}, abs(${value}) * 1e-15)`;
    return new WiderCondition(
      this.at((type, value) => sql`(${isOther(type)} OR (${isNumber(type, value)} AND ${isInteger(value)}))`),
    );
  }

  isIn(values: readonly FilterScalar[]): SqlTestCondition {
    const texts = values.filter((value) => typeof value === "string");
    // JSON can escape texts that cannot be parameters.
    if (texts.some(isIllFormed)) return undefined;
    const names = values.flatMap((value) =>
      value === null || typeof value === "boolean" ? [`'${String(value)}'`] : [],
    );
    const numbers = values.filter((value) => typeof value === "number");
    const parts = (type: Sql, value: Sql): readonly Sql[] => [
      ...(texts.length === 0
        ? []
        : [sql`(${type} = 'text' AND ${bytewise(value)} IN (${joinedSql(texts.map(parameter), ", ")}))`]),
      ...(numbers.length === 0 ? [] : [sql`(${type} IN (${TYPES.number}) AND ${isAmong(value, numbers)})`]),
      ...(names.length === 0 ? [] : [sql`${type} IN (${names.join(", ")})`]),
    ];
    if (values.length === 0) return FALSE;
    const condition = this.at((type, value) => sql`(${joinedSql(parts(type, value), " OR ")})`);
    return numbers.length === 0 ? condition : new WiderCondition(condition);
  }

  order(symbol: FilterOrder, value: string | number): SqlTestCondition {
    if (typeof value === "number") {
      const [below, above] = around(value);
      const end = symbol.startsWith("<") ? sql`<= ${above}` : sql`>= ${below}`;
      return new WiderCondition(this.at((type, number) => sql`(${type} IN (${TYPES.number}) AND ${number} ${end})`));
    }
    // A lone surrogate sorts elsewhere in the order of bytes.
    if (/[\ud800-\uffff]/.test(value) || hasNul(value)) return undefined;
    return this.ofText((text) => sql`${bytewise(text)} ${symbol} ${parameter(value)}`);
  }

  includes(value: FilterScalar): SqlTestCondition {
    const isElement = mapCondition(
      elementOf(WITHIN).isIn([value]),
      (isIt) => sql`EXISTS (SELECT 1 FROM ${rowsOf(this.content("array"))} AS ${WITHIN} WHERE ${isIt})`,
    );
    if (typeof value !== "string") return isElement;
    // SQLite may return a name with its JSON escapes.
    if (!isPlainName(value)) return undefined;
    const isKey = sql`EXISTS (SELECT 1 FROM ${rowsOf(this.content("object"))} AS ${WITHIN} WHERE ${bytewise(COLUMNS.key)} = ${parameter(value)})`;
    return mapCondition(isElement, (isIt) => sql`(${isIt} OR ${isKey})`);
  }

  text(how: "startsWith" | "endsWith" | "contains", value: string): Sql | undefined {
    if (isIllFormed(value) || hasNul(value)) return undefined;
    return this.ofText((text) => (value === "" ? TRUE : SCALARS.text(text, how, value)));
  }

  size(): undefined {
    return undefined;
  }

  same(): undefined {
    return undefined;
  }

  each(over: "items" | "keys", alias: string): SqlQuantifier {
    const kind = over === "items" ? "array" : "object";
    const from = sql`${rowsOf(this.content(kind))} AS ${alias}`;
    const key: SqlPathResolver = (path) =>
      path.length === 0 ? new ScalarColumnPlace(`${alias}.${COLUMNS.key}`, "text", "never", SCALARS) : MISSING_PLACE;
    return {
      element: over === "items" ? placeBelow(elementOf(alias)) : key,
      quantified: (op, where) =>
        op === "some"
          ? sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where})`
          : sql`(${this.at((type) => sql`${type} = '${kind}'`)} AND NOT EXISTS (SELECT 1 FROM ${from} WHERE (${where}) IS NOT TRUE))`,
    };
  }

  /** The JSON of a list or a map of this kind. Other values have no rows. */
  content(kind: "array" | "object"): Sql {
    return this.at((type, value) => sql`CASE ${type} WHEN '${kind}' THEN ${this.json ?? value} END`);
  }

  private ofText(condition: (text: Sql) => Sql): Sql {
    return this.at((type, value) => sql`(${type} = 'text' AND ${condition(value)})`);
  }
}

function isAmong(value: Sql, numbers: readonly number[]): Sql {
  const ranges = numbers.map((number) => {
    const [below, above] = around(number);
    return sql`${value} BETWEEN ${below} AND ${above}`;
  });
  return sql`(${joinedSql(ranges, " OR ")})`;
}
