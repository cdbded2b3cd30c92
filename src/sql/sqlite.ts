/** SQLite, from version 3.38 on. */

import type { JsonType, Order, Scalar } from "../engine/residual/filter.js";
import { type Below, type Each, hasNul, isIllFormed, type Place } from "./dialect.js";
import type { Column } from "./mapping.js";
import { NOWHERE } from "./nowhere.js";
import { ALIAS, FALSE, joined, Parameter, quoted, type Sql, sql, TRUE } from "./pieces.js";
import { type ScalarDialect, ScalarPlace } from "./scalars.js";

/** SQLite's truths are numbers, and drivers take no others. */
function parameter(value: string | number | boolean): Sql {
  return new Parameter(typeof value === "boolean" ? Number(value) : value);
}

const SCALARS: ScalarDialect = {
  parameter,
  bytewise,
  equalText: bytewise,
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
  // What it counts ends at the first NUL.
  length: () => undefined,
};

function bytewise(text: Sql): Sql {
  return sql`${text} COLLATE BINARY`;
}

/** As bytes: functions of texts end at a NUL. */
function bytes(text: Sql): Sql {
  return sql`CAST(${text} AS BLOB)`;
}

export const SQLITE = { placeOf: sqlitePlace, parameter };

function sqlitePlace(column: Sql, { type, null: onNull = "absent" }: Column): Below | undefined {
  if (type === "text[]") return undefined;
  if (type !== "json") return (path) => (path.length === 0 ? new ScalarPlace(column, type, onNull, SCALARS) : NOWHERE);
  return documentBelow(onNull === "null" ? sql`COALESCE(${column}, 'null')` : column);
}

function documentBelow(document: Sql): Below {
  return (path) => {
    const place = placeOf(path);
    if (place === undefined) return undefined;
    const at = new Parameter(place);
    return new JsonPlace(
      sql`json_type(${document}, ${at})`,
      sql`json_extract(${document}, ${at})`,
      (kind) =>
        sql`json_each(CASE json_type(${document}, ${at}) WHEN '${kind}' THEN json_extract(${document}, ${at}) ELSE '[]' END)`,
    );
  };
}

/** A path as SQLite has it; undefined for names that have no form in one. */
function placeOf(path: readonly string[]): string | undefined {
  return path.every(isPlainName) ? `$${path.map((name) => `."${name}"`).join("")}` : undefined;
}

function isPlainName(name: string): boolean {
  return !/["\\\p{Cc}\p{Surrogate}]/u.test(name);
}

/** An element that `json_each` gives: what is in one that is a list or a map is JSON text again. */
function elementBelow(alias: string): Below {
  const [type, value] = [`${alias}."type"`, `${alias}."value"`];
  return (path) => {
    if (path.length === 0) {
      return new JsonPlace(
        type,
        value,
        (kind) => sql`json_each(CASE ${type} WHEN '${kind}' THEN ${value} ELSE '[]' END)`,
      );
    }
    return documentBelow(sql`CASE ${type} WHEN 'object' THEN ${value} END`)(path);
  };
}

/** What `includes` looks through. */
const WITHIN = quoted(`${ALIAS}0`);

const TYPES: { readonly [type in JsonType]: string } = {
  null: "'null'",
  boolean: "'true', 'false'",
  integer: "'integer'",
  number: "'integer', 'real'",
  string: "'text'",
  array: "'array'",
  object: "'object'",
};

class JsonPlace implements Place {
  private readonly typeName: Sql;
  private readonly value: Sql;
  private readonly rows: (kind: "array" | "object") => Sql;

  constructor(typeName: Sql, value: Sql, rows: (kind: "array" | "object") => Sql) {
    this.typeName = typeName;
    this.value = value;
    this.rows = rows;
  }

  present(): Sql {
    return sql`${this.typeName} IS NOT NULL`;
  }

  type(types: readonly JsonType[]): Sql {
    const names = sql`${this.typeName} IN (${types.map((type) => TYPES[type]).join(", ")})`;
    if (!types.includes("integer") || types.includes("number")) return names;
    return sql`(${names} OR ${this.where("number", sql`${this.value} = round(${this.value})`)})`;
  }

  isIn(values: readonly Scalar[]): Sql {
    const texts = values.filter((value) => typeof value === "string").filter((text) => !isIllFormed(text));
    const numbers = values.filter((value) => typeof value === "number");
    const among = (type: JsonType, some: readonly (string | number)[]) =>
      some.length === 0
        ? []
        : [this.where(type, sql`${bytewise(this.value)} IN (${joined(some.map(parameter), ", ")})`)];
    const constants = values.flatMap((value) =>
      value === null || typeof value === "boolean" ? [sql`${this.typeName} = '${String(value)}'`] : [],
    );
    const parts = [...among("string", texts), ...among("number", numbers), ...constants];
    return parts.length === 0 ? FALSE : sql`(${joined(parts, " OR ")})`;
  }

  order(symbol: Order, value: string | number): Sql | undefined {
    if (typeof value === "number") return this.where("number", sql`${this.value} ${symbol} ${parameter(value)}`);
    if (isIllFormed(value) || hasNul(value)) return undefined;
    return this.where("string", sql`${bytewise(this.value)} ${symbol} ${parameter(value)}`);
  }

  includes(value: Scalar): Sql | undefined {
    const element = new JsonPlace(sql`${WITHIN}."type"`, sql`${WITHIN}."value"`, () => FALSE);
    const isElement = sql`EXISTS (SELECT 1 FROM ${this.rows("array")} AS ${WITHIN} WHERE ${element.isIn([value])})`;
    if (typeof value !== "string") return isElement;
    // A name that JSON escapes may be told as it is written.
    if (!isPlainName(value)) return undefined;
    const isKey = sql`EXISTS (SELECT 1 FROM ${this.rows("object")} AS ${WITHIN} WHERE ${this.typeName} = 'object' AND ${bytewise(sql`${WITHIN}."key"`)} = ${parameter(value)})`;
    return sql`(${isElement} OR ${isKey})`;
  }

  text(how: "startsWith" | "endsWith" | "contains", value: string): Sql | undefined {
    if (isIllFormed(value) || hasNul(value)) return undefined;
    return this.where("string", value === "" ? TRUE : SCALARS.text(this.value, how, value));
  }

  size(): undefined {
    return undefined;
  }

  same(): undefined {
    return undefined;
  }

  each(over: "items" | "keys", alias: string): Each {
    const kind = over === "items" ? "array" : "object";
    const from = sql`${this.rows(kind)} AS ${alias}`;
    const isOne = sql`${this.typeName} = '${kind}'`;
    const key: Below = (path) =>
      path.length === 0 ? new ScalarPlace(`${alias}."key"`, "text", "never", SCALARS) : NOWHERE;
    return {
      element: over === "items" ? elementBelow(alias) : key,
      quantified: (op, where) =>
        op === "some"
          ? sql`(${isOne} AND EXISTS (SELECT 1 FROM ${from} WHERE ${where}))`
          : sql`(${isOne} AND NOT EXISTS (SELECT 1 FROM ${from} WHERE (${where}) IS NOT TRUE))`,
    };
  }

  private where(type: JsonType, condition: Sql): Sql {
    return sql`(${this.typeName} IN (${TYPES[type]}) AND ${condition})`;
  }
}
