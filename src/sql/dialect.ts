/** What databases say otherwise. */

import type { JsonType, Order, Scalar } from "../engine/residual/filter.js";
import type { Sql } from "./pieces.js";

/** A condition that holds wherever a test holds, and of other rows. */
export class Wider {
  readonly sql: Sql;
  constructor(sql: Sql) {
    this.sql = sql;
  }
}

/** A condition, which may be NULL for a test that does not hold. Undefined: the database cannot say it. */
export type Said = Sql | Wider | undefined;

/** What is made of a condition, which is wider if the condition is. */
export function within(said: Said, make: (condition: Sql) => Sql): Said {
  return said instanceof Wider ? new Wider(make(said.sql)) : said && make(said);
}

/** Something of a row as a database has it. */
export interface Place {
  present(): Sql;
  /** There is a value of JSON. */
  readable(): Sql;
  type(types: readonly JsonType[]): Said;
  isIn(values: readonly Scalar[]): Said;
  order(symbol: Order, value: string | number): Said;
  includes(value: Scalar): Said;
  text(how: "startsWith" | "endsWith" | "contains", value: string): Said;
  size(symbol: Order | "==", value: number): Said;
  same(other: Place): Said;
  /** A place that stands for each element, or key, and what says that `where` holds of some or of every one. */
  each(over: "items" | "keys", alias: string): Each | undefined;
}

export interface Each {
  readonly element: Below;
  quantified(op: "some" | "every", where: Sql): Sql;
}

/** What is at a path below something; undefined: the database cannot look there. */
export type Below = (path: readonly string[]) => Place | undefined;

/** Text that UTF-8 has no form for. */
export function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

export function hasNul(text: string): boolean {
  return text.includes("\0");
}
