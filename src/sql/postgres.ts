/** PostgreSQL, from version 12 on. */

import type { JsonType, Order, Scalar } from "../engine/residual/filter.js";
import { type Below, type Each, hasNul, isIllFormed, type Place } from "./dialect.js";
import type { Column } from "./mapping.js";
import { NOWHERE } from "./nowhere.js";
import { FALSE, joined, Parameter, type Sql, sql, TRUE } from "./pieces.js";
import { operator, type ScalarDialect, ScalarPlace } from "./scalars.js";

function parameter(value: string | number | boolean): Sql {
  if (typeof value === "string") return text(value);
  if (typeof value === "boolean") return sql`${new Parameter(value)}::boolean`;
  return number(value);
}

function text(value: string): Sql {
  return sql`${new Parameter(value)}::text`;
}

/** As a whole number, if it is one, so that an index of a column of whole numbers serves. */
function number(value: number): Sql {
  return Number.isSafeInteger(value) ? sql`${new Parameter(value)}::bigint` : sql`${new Parameter(value)}::float8`;
}

function json(value: Scalar): Sql {
  return sql`${new Parameter(JSON.stringify(value))}::jsonb`;
}

const SCALARS: ScalarDialect = {
  parameter,
  bytewise: (one) => sql`${one} COLLATE "C"`,
  equalText: (one) => one,
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

/** What no `jsonb` can have in it. */
function isImpossible(value: Scalar): boolean {
  return typeof value === "string" && (hasNul(value) || isIllFormed(value));
}

export const POSTGRES = { placeOf: postgresPlace, parameter };

function postgresPlace(column: Sql, { type, null: onNull = "absent" }: Column): Below {
  switch (type) {
    case "json": {
      const whole = sql`(${column})::jsonb`;
      return jsonBelow(onNull === "null" ? sql`COALESCE(${whole}, 'null'::jsonb)` : whole);
    }
    case "text[]":
      return (path) => (path.length === 0 ? new TextsPlace(column, onNull) : NOWHERE);
    default:
      return (path) => (path.length === 0 ? new ScalarPlace(column, type, onNull, SCALARS) : NOWHERE);
  }
}

function jsonBelow(json: Sql): Below {
  return (path) => {
    if (path.some(isImpossible)) return NOWHERE;
    return new JsonPlace(path.reduce<Sql>((within, name) => sql`(${within} -> ${text(name)})`, json));
  };
}

class JsonPlace implements Place {
  private readonly json: Sql;

  constructor(json: Sql) {
    this.json = json;
  }

  present(): Sql {
    return sql`${this.json} IS NOT NULL`;
  }

  type(types: readonly JsonType[]): Sql {
    const { json } = this;
    const names = types.flatMap((type) => (type === "integer" ? [] : [`'${type}'`]));
    const isOf = names.length === 0 ? FALSE : sql`jsonb_typeof(${json}) IN (${names.join(", ")})`;
    if (!types.includes("integer") || types.includes("number")) return isOf;
    const value = sql`(${json})::numeric`;
    return sql`(${isOf} OR CASE WHEN jsonb_typeof(${json}) = 'number' THEN ${value} = trunc(${value}) END)`;
  }

  isIn(values: readonly Scalar[]): Sql {
    const possible = values.filter((value) => !isImpossible(value)).map(json);
    return possible.length === 0 ? FALSE : sql`${this.json} IN (${joined(possible, ", ")})`;
  }

  order(symbol: Order, value: string | number): Sql | undefined {
    // Numbers of jsonb are in the order of numbers.
    if (typeof value === "number") return this.where("number", sql`${this.json} ${symbol} ${json(value)}`);
    if (isImpossible(value)) return undefined;
    return this.where("string", sql`${SCALARS.bytewise(this.content)} ${symbol} ${text(value)}`);
  }

  includes(value: Scalar): Sql {
    if (isImpossible(value)) return FALSE;
    const isElement = this.where("array", sql`${this.json} @> ${json(value)}`);
    return typeof value === "string" ? sql`(${isElement} OR ${this.json} -> ${text(value)} IS NOT NULL)` : isElement;
  }

  text(how: "startsWith" | "endsWith" | "contains", value: string): Sql | undefined {
    if (isIllFormed(value)) return undefined;
    if (hasNul(value)) return FALSE;
    return this.where("string", value === "" ? TRUE : SCALARS.text(this.content, how, value));
  }

  size(symbol: Order | "==", value: number): Sql {
    const { json } = this;
    return sql`CASE jsonb_typeof(${json}) WHEN 'string' THEN char_length(${this.content}) WHEN 'array' THEN jsonb_array_length(${json}) WHEN 'object' THEN (SELECT count(*) FROM jsonb_object_keys(${json})) END ${operator(symbol)} ${new Parameter(value)}::float8`;
  }

  same(other: Place): Sql | undefined {
    return other instanceof JsonPlace ? sql`${this.json} = ${other.json}` : undefined;
  }

  each(over: "items" | "keys", alias: string): Each {
    const { json } = this;
    const [kind, rows, empty] =
      over === "items"
        ? ["array", "jsonb_array_elements", "'[]'::jsonb"]
        : ["object", "jsonb_object_keys", "'{}'::jsonb"];
    const from = sql`${rows}(CASE jsonb_typeof(${json}) WHEN '${kind}' THEN ${json} ELSE ${empty} END) AS ${alias}("item")`;
    const item = `${alias}."item"`;
    const element: Below =
      over === "items"
        ? jsonBelow(item)
        : (path) => (path.length === 0 ? new ScalarPlace(item, "text", "never", SCALARS) : NOWHERE);
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

function quantified(op: "some" | "every", from: Sql, where: Sql, isOne: Sql): Sql {
  if (op === "some") return sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where})`;
  return sql`(${isOne} AND NOT EXISTS (SELECT 1 FROM ${from} WHERE (${where}) IS NOT TRUE))`;
}

/** A list of texts. */
class TextsPlace implements Place {
  private readonly column: Sql;
  private readonly onNull: "absent" | "null" | "never";

  constructor(column: Sql, onNull: "absent" | "null" | "never") {
    this.column = column;
    this.onNull = onNull;
  }

  present(): Sql {
    return this.onNull === "absent" ? this.isList() : TRUE;
  }

  type(types: readonly JsonType[]): Sql {
    const isNull = this.onNull === "null" && types.includes("null");
    if (types.includes("array")) return isNull ? TRUE : this.isList();
    return isNull ? sql`${this.column} IS NULL` : FALSE;
  }

  isIn(values: readonly Scalar[]): Sql {
    return this.onNull === "null" && values.includes(null) ? sql`${this.column} IS NULL` : FALSE;
  }

  order(): Sql {
    return FALSE;
  }

  includes(value: Scalar): Sql {
    if (value === null) return sql`array_position(${this.column}, NULL) IS NOT NULL`;
    return typeof value !== "string" || isImpossible(value) ? FALSE : sql`${text(value)} = ANY(${this.column})`;
  }

  text(): Sql {
    return FALSE;
  }

  size(symbol: Order | "==", value: number): Sql {
    return sql`cardinality(${this.column}) ${operator(symbol)} ${new Parameter(value)}::float8`;
  }

  same(): undefined {
    return undefined;
  }

  each(over: "items" | "keys", alias: string): Each {
    if (over === "keys") return { element: () => NOWHERE, quantified: () => FALSE };
    const item = `${alias}."item"`;
    return {
      element: (path) => (path.length === 0 ? new ScalarPlace(item, "text", "null", SCALARS) : NOWHERE),
      quantified: (op, where) =>
        quantified(op, sql`unnest(${this.column}) AS ${alias}("item")`, where, sql`${this.column} IS NOT NULL`),
    };
  }

  private isList(): Sql {
    return sql`${this.column} IS NOT NULL`;
  }
}
