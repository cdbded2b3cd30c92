/** Outlines: filters with {@link TestValues} in place of the compared values. A plan keeps them for many requests. */

import type { Expr } from "../../cel/ast.js";
import type { ExpressionTest, Filter, FilterTest, QuantifiedTest } from "./filter.js";
import type { TestValues } from "./test-values.js";

interface OutlineJunction {
  readonly op: "all" | "any";
  readonly of: readonly Outline[];
}

interface OutlineNot {
  readonly op: "not";
  readonly of: OutlineTest;
}

interface OutlineQuantified extends Omit<QuantifiedTest, "where"> {
  readonly where: Outline;
}

interface OutlineExpression extends Omit<ExpressionTest, "value"> {
  readonly layer: number;
  readonly expr: Expr;
}

/** A test of a filter, with {@link TestValues} in place of its own values. */
type OpenTest<Part> = Part extends FilterTest
  ? { readonly [Name in keyof Part]: Name extends "value" | "values" ? TestValues : Part[Name] }
  : never;

export type OutlineTest =
  | OpenTest<Exclude<FilterTest, QuantifiedTest | ExpressionTest>>
  | OutlineQuantified
  | OutlineExpression;

export type Outline = OutlineJunction | OutlineNot | Extract<Filter, { readonly op: "unknown" }> | OutlineTest;

export function isEvery(outline: Outline): boolean {
  return outline.op === "all" && outline.of.length === 0;
}

export function isNo(outline: Outline): boolean {
  return outline.op === "any" && outline.of.length === 0;
}

export function not(test: OutlineTest): Outline {
  return { op: "not", of: test };
}

export function isTest(outline: Outline): outline is OutlineTest {
  return outline.op !== "all" && outline.op !== "any" && outline.op !== "not" && outline.op !== "unknown";
}

/** Whether an outline is exact: no part of it is `unknown`. */
export function isExact(outline: Outline): boolean {
  switch (outline.op) {
    case "all":
    case "any":
      return outline.of.every(isExact);
    case "not":
      return isExact(outline.of);
    case "some":
    case "every":
      return isExact(outline.where);
    default:
      return outline.op !== "unknown";
  }
}
