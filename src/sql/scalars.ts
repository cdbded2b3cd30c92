/** Places for columns of a scalar type. */

import type { FilterOrder, FilterScalar, JsonType } from "../engine/residual/filter.js";
import { hasNul, isIllFormed, type SqlPlace, type SqlQuantifier } from "./dialect.js";
import { MISSING_PLACE } from "./missing-place.js";
import { FALSE, joinedSql, Parameter, type Sql, sql, TRUE } from "./sql-pieces.js";

export type ScalarType = "text" | "number" | "boolean";

/** The part of a dialect that scalar columns use. */
export interface ScalarDialect {
  readonly parameter: (value: string | number | boolean) => Sql;
  /** `bytewise` makes a text compare byte by byte, for order. `equalText` is for equality, so that indexes can serve. */
  readonly bytewise: (text: Sql) => Sql;
  readonly equalText: (text: Sql) => Sql;
  /** The largest and the least double. A column may contain infinities and `NaN`, which JSON does not have. */
  readonly largest: string;
  readonly least: string;
  /** A number as the double that a program reads: an integer column may keep integers that no double equals. */
  readonly asDouble: (number: Sql) => Sql;
  /** Whether a text can contain a NUL. */
  readonly canHaveNul: boolean;
  text(text: Sql, how: "startsWith" | "endsWith" | "contains", value: string): Sql;
  length(text: Sql): Sql | undefined;
}

export class ScalarColumnPlace implements SqlPlace {
  readonly sql: Sql;
  readonly of: ScalarType;
  readonly onNull: "absent" | "null" | "never";
  private readonly dialect: ScalarDialect;

  constructor(column: Sql, of: ScalarType, onNull: "absent" | "null" | "never", dialect: ScalarDialect) {
    this.sql = column;
    this.of = of;
    this.onNull = onNull;
    this.dialect = dialect;
  }

  present(): Sql {
    return this.onNull === "absent" ? sql`${this.sql} IS NOT NULL` : TRUE;
  }

  readable(): Sql {
    return this.of === "number" ? this.type(["null", "number"]) : this.present();
  }

  type(types: readonly JsonType[]): Sql {
    const own = this.own(types);
    if (this.onNull === "never") return own;
    const isNull = this.onNull === "null" && types.includes("null");
    if (own === FALSE) return isNull ? sql`${this.sql} IS NULL` : FALSE;
    if (own !== TRUE) return isNull ? sql`(${this.sql} IS NULL OR ${own})` : own;
    return isNull ? TRUE : sql`${this.sql} IS NOT NULL`;
  }

  /** The condition for non-null values. */
  private own(types: readonly JsonType[]): Sql {
    switch (this.of) {
      case "text":
        return types.includes("string") ? TRUE : FALSE;
      case "boolean":
        return types.includes("boolean") ? TRUE : FALSE;
      case "number":
        if (types.includes("number")) return this.isFinite();
        return types.includes("integer") ? this.isInteger() : FALSE;
    }
  }

  private isFinite(): Sql {
    return sql`${this.sql} BETWEEN ${this.dialect.least} AND ${this.dialect.largest}`;
  }

  private isInteger(): Sql {
    const read = this.dialect.asDouble(this.sql);
    return sql`(${this.isFinite()} AND ${read} = round(${read}))`;
  }

  isIn(values: readonly FilterScalar[]): Sql {
    const among = this.among(values.filter((value) => this.isOwn(value)));
    if (this.onNull !== "null" || !values.includes(null)) return among ?? FALSE;
    return among === undefined ? sql`${this.sql} IS NULL` : sql`(${this.sql} IS NULL OR ${among})`;
  }

  private among(values: readonly (string | number | boolean)[]): Sql | undefined {
    const own = values.map((value) => this.dialect.parameter(value));
    const [first] = own;
    if (first === undefined) return undefined;
    const column = this.of === "text" ? this.dialect.equalText(this.sql) : this.read(values);
    return own.length === 1 ? sql`${column} = ${first}` : sql`${column} IN (${joinedSql(own, ", ")})`;
  }

  /** The column, to compare with these values. An index serves small numbers, which every column keeps exactly. */
  private read(values: readonly unknown[]): Sql {
    return values.some(isLarge) ? this.dialect.asDouble(this.sql) : this.sql;
  }

  /** Whether the column can contain a value. */
  private isOwn(value: FilterScalar): value is string | number | boolean {
    if (typeof value !== "string") return value !== null && typeof value === this.of;
    return this.of === "text" && !isIllFormed(value) && (this.dialect.canHaveNul || !hasNul(value));
  }

  order(symbol: FilterOrder, value: string | number): Sql | undefined {
    if (typeof value === "number") {
      if (this.of !== "number") return FALSE;
      const { parameter, least, largest } = this.dialect;
      const end = symbol.startsWith("<") ? sql`>= ${least}` : sql`<= ${largest}`;
      return sql`(${this.read([value])} ${symbol} ${parameter(value)} AND ${this.sql} ${end})`;
    }
    if (this.of !== "text") return FALSE;
    if (isIllFormed(value) || hasNul(value)) return undefined;
    return sql`${this.dialect.bytewise(this.sql)} ${symbol} ${this.dialect.parameter(value)}`;
  }

  includes(): Sql {
    return FALSE;
  }

  text(how: "startsWith" | "endsWith" | "contains", value: string): Sql | undefined {
    if (this.of !== "text") return FALSE;
    if (isIllFormed(value) || (hasNul(value) && this.dialect.canHaveNul)) return undefined;
    if (hasNul(value)) return FALSE;
    return value === "" ? this.type(["string"]) : this.dialect.text(this.sql, how, value);
  }

  size(symbol: FilterOrder | "==", value: number): Sql | undefined {
    if (this.of !== "text") return FALSE;
    const length = this.dialect.length(this.sql);
    return length && sql`${length} ${operator(symbol)} ${new Parameter(value)}`;
  }

  same(other: SqlPlace): Sql | undefined {
    if (!(other instanceof ScalarColumnPlace) || this.onNull === "null" || other.onNull === "null") return undefined;
    if (other.of !== this.of) return FALSE;
    const { bytewise, asDouble } = this.dialect;
    const read = (column: Sql) =>
      this.of === "text" ? bytewise(column) : this.of === "number" ? asDouble(column) : column;
    return sql`${read(this.sql)} = ${read(other.sql)}`;
  }

  each(): SqlQuantifier {
    return { element: () => MISSING_PLACE, quantified: () => FALSE };
  }
}

function isLarge(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

export function operator(symbol: FilterOrder | "=="): string {
  return symbol === "==" ? "=" : symbol;
}
