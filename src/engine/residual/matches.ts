/** What filters mean: whether one holds of a row. */

import { codePointLength, compareStrings } from "../../cel/text.js";
import { equal, isOfType, memberNames } from "../../schema/values.js";
import type { Filter, Order, Row, Term, Test } from "./filter.js";

/**
 * Whether a filter holds of a row. One that `unknown` is part of may hold of too many: which of them, `decide` says.
 *
 * The row's attributes are JSON data; one that is `undefined` is absent. Where attributes of the resource were given to the plan, the row has them, too.
 */
export function matches(filter: Filter, row: Row): boolean {
  return holds(filter, row, undefined);
}

function holds(filter: Filter, row: Row, item: unknown): boolean {
  switch (filter.op) {
    case "all":
      return filter.of.every((part) => holds(part, row, item));
    case "any":
      return filter.of.some((part) => holds(part, row, item));
    case "not":
      return !tested(filter.of, row, item);
    case "unknown":
      return true;
    default:
      return tested(filter, row, item);
  }
}

function tested(test: Test, row: Row, item: unknown): boolean {
  if (test.op === "expression") return test.value(row) === test.is;
  const value = valueAt(test.term, row, item);
  if (value === undefined) return false;
  switch (test.op) {
    case "present":
      return true;
    case "type":
      return test.types.some((type) => isOfType(value, type));
    case "in":
      return test.values.some((one) => one === value);
    case "same":
      return isSame(value, valueAt(test.other, row, item));
    case "order":
      return isInOrder(test.symbol, value, test.value);
    case "includes":
      return Array.isArray(value)
        ? value.some((one) => one === test.value)
        : typeof test.value === "string" && member(value, test.value) !== undefined;
    case "text":
      return typeof value === "string" && TEXTS[test.how](value, test.value);
    case "size": {
      const size = sizeOf(value);
      if (size === undefined) return false;
      return test.symbol === "==" ? size === test.value : ORDERS[test.symbol](size - test.value);
    }
    case "some":
      return elements(value, test.over)?.some((one) => holds(test.where, row, one)) === true;
    case "every":
      return elements(value, test.over)?.every((one) => holds(test.where, row, one)) === true;
  }
}

function valueAt({ of, path }: Term, { id, attr }: Row, item: unknown): unknown {
  let value: unknown = of === "id" ? id : of === "attr" ? (attr ?? {}) : item;
  for (const name of path) value = member(value, name);
  return value;
}

/** A member that is `undefined` is absent. */
function member(map: unknown, name: string): unknown {
  return isMap(map) && Object.hasOwn(map, name) ? Reflect.get(map, name) : undefined;
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(value: unknown, other: unknown): boolean {
  return other !== undefined && equal(value, other);
}

const TEXTS = {
  startsWith: (text: string, part: string) => text.startsWith(part),
  endsWith: (text: string, part: string) => text.endsWith(part),
  contains: (text: string, part: string) => text.includes(part),
};

const ORDERS: { readonly [order in Order]: (order: number) => boolean } = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function isInOrder(symbol: Order, value: unknown, constant: string | number): boolean {
  if (typeof value === "number" && typeof constant === "number") return ORDERS[symbol](value - constant);
  if (typeof value !== "string" || typeof constant !== "string") return false;
  return ORDERS[symbol](compareStrings(value, constant));
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string") return codePointLength(value);
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? memberNames(value).length : undefined;
}

function elements(value: unknown, over: "items" | "keys"): readonly unknown[] | undefined {
  if (over === "items") return Array.isArray(value) ? value : undefined;
  return isMap(value) ? memberNames(value) : undefined;
}
