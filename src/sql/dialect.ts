/** The interface that each database implements: conditions on places of a row. */

import type { JsonType, Order, Scalar } from "../engine/residual/filter.js";
import type { Sql } from "./pieces.js";

/** A condition that holds for every row that satisfies the test, and perhaps for other rows. */
export class Wider {
  readonly sql: Sql;
  constructor(sql: Sql) {
    this.sql = sql;
  }
}

/**
 * The SQL condition of a test. It may be NULL for a row that does not satisfy the test. Undefined: the database cannot
 * express the test.
 */
export type Said = Sql | Wider | undefined;

/** Maps a condition. The result is wider if the condition is. */
export function within(said: Said, make: (condition: Sql) => Sql): Said {
  return said instanceof Wider ? new Wider(make(said.sql)) : said && make(said);
}

/** An attribute of a row, or a part of one, as the database stores it. */
export interface Place {
  present(): Sql;
  /** The place has a value that JSON can represent. */
  readable(): Sql;
  type(types: readonly JsonType[]): Said;
  isIn(values: readonly Scalar[]): Said;
  order(symbol: Order, value: string | number): Said;
  includes(value: Scalar): Said;
  text(how: "startsWith" | "endsWith" | "contains", value: string): Said;
  size(symbol: Order | "==", value: number): Said;
  same(other: Place): Said;
  /** The place of each element or key, and the condition that `where` holds for some or for every one. */
  each(over: "items" | "keys", alias: string): Each | undefined;
}

export interface Each {
  readonly element: Below;
  quantified(op: "some" | "every", where: Sql): Sql;
}

/** The place at a path below an attribute. Undefined: the database cannot read there. */
export type Below = (path: readonly string[]) => Place | undefined;

/** Whether UTF-8 cannot encode a text. */
export function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

export function hasNul(text: string): boolean {
  return text.includes("\0");
}
