/** Makes filters from outlines, by putting values in their places. */

import type { Expr } from "../../cel/ast.js";
import { keepShapeAlive } from "../../cel/keep-alive.js";
import { type Filter, type FilterRow, type FilterScalar, type FilterTerm, type FilterTest, MAYBE } from "./filter.js";
import { KnownValues } from "./known-values.js";
import { mapParts } from "./map-parts.js";
import { isTest, type Outline, type OutlineTest } from "./outline.js";
import { KnownValue, literal } from "./residual-expression.js";
import { rowEvaluator } from "./rows.js";
import type { TestValues } from "./test-values.js";

/** The values that fill the filters of one request. */
export class FilterFilling {
  readonly given: KnownValues;
  private evaluators: Map<Expr, (row: FilterRow) => boolean | undefined> | undefined = undefined;

  constructor(given: KnownValues) {
    this.given = given;
  }

  /** The value of an expression for rows. It is compiled on first use, because SQL queries never use it. */
  evaluator(layer: number, expr: Expr): (row: FilterRow) => boolean | undefined {
    this.evaluators ??= new Map();
    const known = this.evaluators.get(expr);
    if (known !== undefined) return known;
    let code: ((row: FilterRow) => boolean | undefined) | undefined;
    const made = (row: FilterRow) => {
      code ??= this.compiled(layer, expr);
      return code(row);
    };
    this.evaluators.set(expr, made);
    return made;
  }

  private compiled(layer: number, expr: Expr): (row: FilterRow) => boolean | undefined {
    const { given } = this;
    return rowEvaluator(given.known(layer), filled(expr, given));
  }
}
keepShapeAlive(new FilterFilling(new KnownValues([])));

/** The expression with literals in the place of known values. */
export function filled(expr: Expr, given: KnownValues): Expr {
  if (expr instanceof KnownValue) return literal(given.value(expr.number));
  return mapParts(expr, (part) => filled(part, given));
}

/** A filter that needs nothing of a request, or a function that makes one. Shared filters are frozen. */
type FilterMaker<F> = F | ((filling: FilterFilling) => F);

/** The function that makes filters from one outline. */
export function fillerOf(outline: Outline): (filling: FilterFilling) => Filter {
  const made = madeOf(outline);
  return typeof made === "function" ? made : () => made;
}

function madeOf(outline: Outline): FilterMaker<Filter> {
  if (isTest(outline)) return testOf(outline);
  switch (outline.op) {
    case "all":
    case "any": {
      const { op } = outline;
      const parts = outline.of.map(madeOf);
      const fixed = parts.filter((part) => typeof part !== "function");
      if (fixed.length === parts.length) return Object.freeze({ op, of: Object.freeze(fixed) });
      return (filling) => ({ op, of: parts.map((part) => (typeof part === "function" ? part(filling) : part)) });
    }
    case "not": {
      const test = testOf(outline.of);
      if (typeof test !== "function") return Object.freeze({ op: "not", of: test });
      return (filling) => ({ op: "not", of: test(filling) });
    }
    case "unknown":
      return MAYBE;
  }
}

function testOf(outline: OutlineTest): FilterMaker<FilterTest> {
  if (outline.op === "expression") {
    const { is, layer, expr } = outline;
    const reads = Object.freeze([...outline.reads]);
    return (filling) => ({ op: "expression", is, reads, value: filling.evaluator(layer, expr) });
  }
  const term = frozen(outline.term);
  switch (outline.op) {
    case "some":
    case "every": {
      const { op, over } = outline;
      const where = madeOf(outline.where);
      if (typeof where !== "function") return Object.freeze({ op, term, over, where });
      return (filling) => ({ op, term, over, where: where(filling) });
    }
    case "in":
      return withValues(outline.values, (values) => ({ op: "in", term, values }));
    case "includes":
      return withValues(outline.value, ([value = null]) => ({ op: "includes", term, value }));
    case "order": {
      const { op, symbol } = outline;
      const side = (value: FilterScalar | undefined) => (typeof value === "number" ? value : String(value));
      return withValues(outline.value, ([value]) => ({ op, term, symbol, value: side(value) }));
    }
    case "text": {
      const { op, how } = outline;
      return withValues(outline.value, ([value]) => ({ op, term, how, value: String(value) }));
    }
    case "size": {
      const { op, symbol } = outline;
      return withValues(outline.value, ([value]) => ({ op, term, symbol, value: Number(value) }));
    }
    case "type":
      return Object.freeze({ op: "type", term, types: Object.freeze([...outline.types]) });
    case "same":
      return Object.freeze({ op: "same", term, other: frozen(outline.other) });
    case "present":
      return Object.freeze({ ...outline, term });
  }
}

function frozen(term: FilterTerm): FilterTerm {
  return Object.freeze({ ...term, path: Object.freeze([...term.path]) });
}

function withValues(
  values: TestValues,
  test: (values: readonly FilterScalar[]) => FilterTest,
): FilterMaker<FilterTest> {
  const { constant, in: valuesIn } = values;
  if (constant !== undefined) return Object.freeze(test(Object.freeze([...constant])));
  return ({ given }) => test(valuesIn(given));
}
