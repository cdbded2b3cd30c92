/** Outlines: filters with {@link Values} in place of what they compare with. A plan keeps them for many requests. */

import type { Expr } from "../../cel/ast.js";
import type { ExpressionTest, Filter, Quantified, Test } from "./filter.js";
import type { Values } from "./values.js";

/** The part of an outline that becomes a part of a filter. */
type Open<Part> = Part extends Quantified
  ? Omit<Part, "where"> & { readonly where: Outline }
  : Part extends ExpressionTest
    ? Omit<Part, "value"> & { readonly layer: number; readonly expr: Expr }
    : Part extends { readonly of: Test }
      ? { readonly op: "not"; readonly of: OutlineTest }
      : Part extends { readonly of: readonly Filter[] }
        ? Omit<Part, "of"> & { readonly of: readonly Outline[] }
        : { readonly [Name in keyof Part]: Name extends "value" | "values" ? Values : Part[Name] };

export type OutlineTest = Open<Test>;

export type Outline = Open<Filter>;

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

/** Whether every part says what it means: none is `unknown`. */
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
