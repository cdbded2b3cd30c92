/** The interface that each database implements: conditions on places of a row. */

import type { FilterOrder, FilterScalar, JsonType } from "../engine/residual/filter.js";
import type { Sql } from "./sql-pieces.js";

/** A condition that holds for every row that satisfies the test, and perhaps for other rows. */
export class WiderCondition {
  readonly sql: Sql;
  constructor(sql: Sql) {
    this.sql = sql;
  }
}

/**
 * The SQL condition of a test. It may be NULL for a row that does not satisfy the test. Undefined: the database cannot
 * express the test.
 */
export type SqlTestCondition = Sql | WiderCondition | undefined;

/** Maps a condition. The result is wider if the condition is. */
export function mapCondition(said: SqlTestCondition, make: (condition: Sql) => Sql): SqlTestCondition {
  return said instanceof WiderCondition ? new WiderCondition(make(said.sql)) : said && make(said);
}

/** An attribute of a row, or a part of one, as the database stores it. */
export interface SqlPlace {
  present(): Sql;
  /** The place has a value that JSON can represent. */
  readable(): Sql;
  type(types: readonly JsonType[]): SqlTestCondition;
  isIn(values: readonly FilterScalar[]): SqlTestCondition;
  order(symbol: FilterOrder, value: string | number): SqlTestCondition;
  includes(value: FilterScalar): SqlTestCondition;
  text(how: "startsWith" | "endsWith" | "contains", value: string): SqlTestCondition;
  size(symbol: FilterOrder | "==", value: number): SqlTestCondition;
  same(other: SqlPlace): SqlTestCondition;
  /** The place of each element or key, and the condition that `where` holds for some or for every one. */
  each(over: "items" | "keys", alias: string): SqlQuantifier | undefined;
}

export interface SqlQuantifier {
  readonly element: SqlPathResolver;
  quantified(op: "some" | "every", where: Sql): Sql;
}

/** The place at a path below an attribute. Undefined: the database cannot read there. */
export type SqlPathResolver = (path: readonly string[]) => SqlPlace | undefined;

/** Whether UTF-8 cannot encode a text. */
export function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

export function hasNul(text: string): boolean {
  return text.includes("\0");
}
