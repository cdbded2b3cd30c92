/** Outlines: filters in which values are not yet in their places. */

import type { Expr } from "../../cel/ast.js";
import type { Order, Quantified, Term, Test } from "./filter.js";
import type { Values } from "./values.js";

export type OutlineTest =
  | Extract<Test, { readonly op: "present" | "type" | "same" }>
  | { readonly op: "in"; readonly term: Term; readonly values: Values }
  /** Of one value, as the tests after it. */
  | { readonly op: "order"; readonly term: Term; readonly symbol: Order; readonly value: Values }
  | { readonly op: "includes"; readonly term: Term; readonly value: Values }
  | {
      readonly op: "text";
      readonly term: Term;
      readonly how: "startsWith" | "endsWith" | "contains";
      readonly value: Values;
    }
  | { readonly op: "size"; readonly term: Term; readonly symbol: Order | "=="; readonly value: Values }
  | (Omit<Quantified, "where"> & { readonly where: Outline })
  /** With what is left of the expression. */
  | {
      readonly op: "expression";
      readonly is: boolean;
      readonly reads: readonly string[];
      readonly layer: number;
      readonly expr: Expr;
    };

export type Outline =
  | { readonly op: "all" | "any"; readonly of: readonly Outline[] }
  | { readonly op: "not"; readonly of: OutlineTest }
  | { readonly op: "unknown" }
  | OutlineTest;

/** Every row. */
export const EVERY: Outline = { op: "all", of: [] };

/** No row. */
export const NO: Outline = { op: "any", of: [] };

export const MAYBE: Outline = { op: "unknown" };

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
