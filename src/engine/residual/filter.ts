/**
 * Filters: conditions on the rows of a kind, as data. A filter holds of a row, or it does not. It never errs, so it
 * tests whether the values that it compares are present, and their types. `matches.ts` defines the meaning of each
 * part.
 */

/** A value that is neither a list nor a map. */
export type FilterScalar = string | number | boolean | null;

/** `integer` is a number without a fraction. Such a number is also a `number`. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/**
 * The operand of a test: an attribute of the row (`["limits", "keys"]` is below an attribute), the row's id, or the
 * element of the nearest `some` or `every` around the test, or a value in this element. Only maps have values below
 * them.
 */
export interface FilterTerm {
  readonly of: "attr" | "id" | "item";
  readonly path: readonly string[];
  /** The schema requires this attribute and allows null: where its column is NULL, the attribute is null. */
  readonly isNullable?: true;
}

export type FilterOrder = "<" | "<=" | ">" | ">=";

/** A test that `not` can negate. A test of an absent value, or of a value of another type, does not hold. */
export type FilterTest =
  /** The value is present. With `isJson` it is also a JSON value, as reading it requires: not `NaN`, not a `Date`. */
  | { readonly op: "present"; readonly term: FilterTerm; readonly isJson?: true }
  | { readonly op: "type"; readonly term: FilterTerm; readonly types: readonly JsonType[] }
  /** Equal to one of the values. */
  | { readonly op: "in"; readonly term: FilterTerm; readonly values: readonly FilterScalar[] }
  /** Equal to the value of another term. Lists and maps are compared by their contents. */
  | { readonly op: "same"; readonly term: FilterTerm; readonly other: FilterTerm }
  /** In an order with a number or a text. Texts are ordered by their code points. */
  | { readonly op: "order"; readonly term: FilterTerm; readonly symbol: FilterOrder; readonly value: string | number }
  /** A list with an element equal to the value, or a map with the value as a key. */
  | { readonly op: "includes"; readonly term: FilterTerm; readonly value: FilterScalar }
  /** A text that starts with, ends with or contains another text. */
  | {
      readonly op: "text";
      readonly term: FilterTerm;
      readonly how: "startsWith" | "endsWith" | "contains";
      readonly value: string;
    }
  /** The number of code points of a text, of elements of a list, or of keys of a map. */
  | { readonly op: "size"; readonly term: FilterTerm; readonly symbol: FilterOrder | "=="; readonly value: number }
  | QuantifiedTest
  | ExpressionTest;

/** Some, or every, element of a list or key of a map. Neither holds of any other value. */
export interface QuantifiedTest {
  readonly op: "some" | "every";
  readonly term: FilterTerm;
  readonly over: "items" | "keys";
  readonly where: Filter;
}

/**
 * An expression without a more specific test. It holds where the value of the expression is `is`; the expression may
 * err instead.
 */
export interface ExpressionTest {
  readonly op: "expression";
  readonly is: boolean;
  /** The parts of the resource that it reads: `R.attr.createdAt`. */
  readonly reads: readonly string[];
  /** The value of the expression for a row; undefined if it errs. Not present in a filter that was written as JSON. */
  readonly value: (row: FilterRow) => boolean | undefined;
}

/** A row to test: a resource as `decide` takes it. */
export interface FilterRow {
  readonly id?: string | undefined;
  readonly attr?: { readonly [name: string]: unknown } | undefined;
}

export type Filter =
  | { readonly op: "all" | "any"; readonly of: readonly Filter[] }
  | { readonly op: "not"; readonly of: FilterTest }
  /** Nothing is known: each row has to be decided by itself. */
  | { readonly op: "unknown" }
  | FilterTest;

const NOTHING: readonly never[] = Object.freeze([]);

/** No row, as a filter and as an outline. */
export const NO = Object.freeze({ op: "any", of: NOTHING });

/** Every row. */
export const EVERY = Object.freeze({ op: "all", of: NOTHING });

/** Some rows: it is not known which ones. */
export const MAYBE = Object.freeze({ op: "unknown" });
