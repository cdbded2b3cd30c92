/** The meaning of filters: whether a filter holds of a row. */

import { equals } from "../../cel/equality.js";
import { Evaluation } from "../../cel/evaluation.js";
import { codePointLength, compareStrings } from "../../cel/text.js";
import { isData, isPlain } from "../../cel/values.js";
import { isOfType, memberNames } from "../../schema/values.js";
import { Copies } from "../frame/copies.js";
import type { Filter, FilterOrder, FilterRow, FilterTerm, FilterTest } from "./filter.js";

/**
 * Whether a filter holds of a row. A filter with `unknown` in it may hold of too many rows: decide on each of those.
 *
 * Attributes are read as `decide` reads them: `undefined` is absent, and a value that is not JSON (`NaN`, a `Date`) is
 * present but cannot be compared. If the plan was given attributes of the resource, the row has them, too.
 */
export function matches(filter: Filter, row: FilterRow): boolean {
  try {
    return holds(filter, new RowReader(row), undefined);
  } catch {
    // The row has more values than `decide` reads.
    return false;
  }
}

/** Reads each attribute of a row once, when it is first needed. */
class RowReader {
  readonly row: FilterRow;
  private readonly copies = new Copies();
  private readonly read = new Map<string, unknown>();

  constructor(row: FilterRow) {
    this.row = row;
  }

  attribute(name: string): unknown {
    const { read, copies, row } = this;
    if (!read.has(name)) read.set(name, member(copies.attributes(row.attr ?? {}, [name]), name));
    return read.get(name);
  }
}

/** A row without values. */
const NO_ROW = new RowReader({});

function holds(filter: Filter, row: RowReader, item: unknown): boolean {
  switch (filter.op) {
    case "all":
      return filter.of.every((part) => holds(part, row, item));
    case "any":
      return filter.of.some((part) => holds(part, row, item));
    case "not":
      return tested(filter.of, row, item) === false;
    case "unknown":
      return true;
    default:
      return tested(filter, row, item) === true;
  }
}

/** Undefined: the two values of `same` cannot be compared. */
function tested(test: FilterTest, row: RowReader, item: unknown): boolean | undefined {
  if (test.op === "expression") return test.value(row.row) === test.is;
  return testedOn(test, valueAt(test.term, row, item), row, item);
}

/** A test of one value. */
export type ValueTest = Exclude<FilterTest, { readonly op: "expression" | "same" }>;

/** Whether a test holds of a value, for a test that reads nothing else of the row. */
export function holdsOf(test: ValueTest, value: unknown): boolean {
  return testedOn(test, value, NO_ROW, undefined) === true;
}

function testedOn(
  test: Exclude<FilterTest, { readonly op: "expression" }>,
  value: unknown,
  row: RowReader,
  item: unknown,
): boolean | undefined {
  if (value === undefined) return false;
  switch (test.op) {
    case "present":
      return test.isJson !== true || isData(value);
    case "type":
      return isData(value) && test.types.some((type) => isOfType(value, type));
    case "in":
      return includesValue(test.values, value);
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

function includesValue(values: readonly unknown[], value: unknown): boolean {
  return values.indexOf(value) >= 0;
}

function valueAt({ of, path }: FilterTerm, row: RowReader, item: unknown): unknown {
  const [name, ...below] = path;
  const { id, attr } = row.row;
  if (name === undefined) return of === "id" ? id : of === "attr" ? attr : item;
  return below.reduce(member, of === "attr" ? row.attribute(name) : member(of === "id" ? id : item, name));
}

function member(value: unknown, name: string): unknown {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isPlain(value);
}

function isSame(value: unknown, other: unknown): boolean | undefined {
  return isData(value) && isData(other) ? equals(new Evaluation(), value, other) : false;
}

const TEXTS = {
  startsWith: (text: string, part: string) => text.startsWith(part),
  endsWith: (text: string, part: string) => text.endsWith(part),
  contains: (text: string, part: string) => text.includes(part),
};

const ORDERS: { readonly [order in FilterOrder]: (order: number) => boolean } = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function isInOrder(symbol: FilterOrder, value: unknown, constant: string | number): boolean {
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
