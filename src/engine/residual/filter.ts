/**
 * Filters: which rows of a kind, as data. A filter holds of a row, or it does not: nothing in it errs, so it says of what
 * it compares that it is there and of which type. `matches.ts` says what each part means.
 */

/** A value that is no list and no map. */
export type Scalar = string | number | boolean | null;

/** `integer`: a number without a fraction, which is a `number`, too. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/**
 * What a test looks at: an attribute of the row (`["limits", "keys"]`: below an attribute), its id, or the element of the
 * nearest `some` or `every` around the test, or what is in that. There is nothing below what is no map.
 */
export interface Term {
  readonly of: "attr" | "id" | "item";
  readonly path: readonly string[];
  /** Of an attribute that rows have to have and that may be null, by the schema: where a column of it is NULL, it is null. */
  readonly isNullable?: true;
}

export type Order = "<" | "<=" | ">" | ">=";

/** What can be turned round by `not`. A test of what is not there, or of another type, does not hold. */
export type Test =
  /** There is a value. With `isJson` it is one of JSON, as reading it requires: not `NaN`, not a `Date`. */
  | { readonly op: "present"; readonly term: Term; readonly isJson?: true }
  | { readonly op: "type"; readonly term: Term; readonly types: readonly JsonType[] }
  /** Equal to one of the values. */
  | { readonly op: "in"; readonly term: Term; readonly values: readonly Scalar[] }
  /** Equal to what is at another place, lists and maps by what is in them. */
  | { readonly op: "same"; readonly term: Term; readonly other: Term }
  /** In an order with a number or a text; texts by their code points. */
  | { readonly op: "order"; readonly term: Term; readonly symbol: Order; readonly value: string | number }
  /** A list that has an element equal to the value, or a map that has it as a key. */
  | { readonly op: "includes"; readonly term: Term; readonly value: Scalar }
  /** A text that has another in it. */
  | {
      readonly op: "text";
      readonly term: Term;
      readonly how: "startsWith" | "endsWith" | "contains";
      readonly value: string;
    }
  /** Of a text the code points, of a list the elements, of a map the keys. */
  | { readonly op: "size"; readonly term: Term; readonly symbol: Order | "=="; readonly value: number }
  | Quantified
  | ExpressionTest;

/** Some, or every, element of a list, or key of a map. Of what is no such thing, neither holds. */
export interface Quantified {
  readonly op: "some" | "every";
  readonly term: Term;
  readonly over: "items" | "keys";
  readonly where: Filter;
}

/** An expression that has no other form here. It holds where the expression's value is `is`; it may err instead. */
export interface ExpressionTest {
  readonly op: "expression";
  readonly is: boolean;
  /** What of the resource it reads: `R.attr.createdAt`. */
  readonly reads: readonly string[];
  /** The value of the expression for a row; undefined if it errs. It is not there in a filter that was written as JSON. */
  readonly value: (row: Row) => boolean | undefined;
}

/** What a filter holds of: what `decide` is given as a resource. */
export interface Row {
  readonly id?: string | undefined;
  readonly attr?: { readonly [name: string]: unknown } | undefined;
}

export type Filter =
  | { readonly op: "all" | "any"; readonly of: readonly Filter[] }
  | { readonly op: "not"; readonly of: Test }
  /** Nothing is known: rows have to be decided on one by one. */
  | { readonly op: "unknown" }
  | Test;

const NOTHING: readonly never[] = Object.freeze([]);

/** No row: as a filter, and as an outline. */
export const NO = Object.freeze({ op: "any", of: NOTHING });

/** Every row. */
export const EVERY = Object.freeze({ op: "all", of: NOTHING });

/** Some rows: which ones is not known. */
export const MAYBE = Object.freeze({ op: "unknown" });
