/** What databases say otherwise. */

import type { JsonType, Order, Scalar } from "../engine/residual/filter.js";
import type { Sql } from "./pieces.js";

/**
 * Something of a row as a database has it. Each method is a condition, which may be NULL for what does not hold; undefined:
 * the database cannot say it.
 */
export interface Place {
  present(): Sql;
  type(types: readonly JsonType[]): Sql | undefined;
  isIn(values: readonly Scalar[]): Sql | undefined;
  order(symbol: Order, value: string | number): Sql | undefined;
  includes(value: Scalar): Sql | undefined;
  text(how: "startsWith" | "endsWith" | "contains", value: string): Sql | undefined;
  size(symbol: Order | "==", value: number): Sql | undefined;
  same(other: Place): Sql | undefined;
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
