/** Conditions as formulas over comparisons, with variables replaced by their definitions. */

import type { Expr } from "../../cel/ast.js";
import { chainOf, usageOf } from "../../cel/expression-usage.js";
import { OPERATORS, type Operator, type OrderingOperator } from "../../cel/operators.js";
import { Spans } from "../../cel/spans.js";
import type { CelValue } from "../../cel/values.js";
import type { Condition, Definitions, Expression } from "../../policy/model.js";
import { definitionOf } from "../../policy/policy-expressions.js";

/** A statement about a term. Terms with equal text have one value within a decision. */
export type Atom =
  | { readonly kind: "in"; readonly term: string; readonly values: readonly AtomConstant[]; readonly holds: boolean }
  | {
      readonly kind: "order";
      readonly term: string;
      readonly operator: OrderingOperator["symbol"];
      readonly bound: number;
    }
  | { readonly kind: "truth"; readonly term: string; readonly holds: boolean }
  | { readonly kind: "constant"; readonly value: boolean }
  /** Any other statement: it may be true or false. */
  | { readonly kind: "other" };

export type AtomConstant = string | number | boolean | null;

export type ConditionFormula =
  | Atom
  | { readonly kind: "and"; readonly of: readonly ConditionFormula[] }
  | { readonly kind: "or"; readonly of: readonly ConditionFormula[] };

const OTHER: Atom = { kind: "other" };

/** Past this number of nodes, the rest of a condition counts as `other`. */
const MAX_NODES = 4_000;

/** `holds`: the formula of the condition; otherwise of its negation. */
export function formulaOf(condition: Condition, definitions: Definitions, holds: boolean): ConditionFormula {
  const reader = new ConditionReader(definitions);
  return reader.condition(condition, holds);
}

class ConditionReader {
  private readonly definitions: Definitions;
  private nodes = 0;

  constructor(definitions: Definitions) {
    this.definitions = definitions;
  }

  condition(condition: Condition, holds: boolean): ConditionFormula {
    if (condition.kind === "expr") return this.expression(condition.expr, holds);
    // "None of them" means all of their negations.
    const wanted = condition.kind === "none" ? !holds : holds;
    const of = condition.of.map((each) => this.condition(each, wanted));
    return { kind: (condition.kind === "any") === holds ? "or" : "and", of };
  }

  private expression({ expr, source }: Expression, holds: boolean): ConditionFormula {
    return this.formula(expr, new Spans(source), holds);
  }

  private formula(expr: Expr, spans: Spans, holds: boolean): ConditionFormula {
    if (++this.nodes > MAX_NODES) return OTHER;
    if (expr.kind === "literal" && typeof expr.value === "boolean") {
      return { kind: "constant", value: expr.value === holds };
    }
    const variable = definitionOf(expr, this.definitions);
    if (variable !== undefined) return this.expression(variable, holds);
    if (expr.kind !== "call") return { kind: "truth", term: this.term(expr, spans), holds };
    const [a, b] = expr.args;
    const operator = OPERATORS.get(expr.fn);
    if (operator?.kind === "not" && a !== undefined) return this.formula(a, spans, !holds);
    if (operator?.kind === "junction") {
      const of = expr.args.map((each) => this.formula(each, spans, holds));
      return { kind: operator.decisive === holds ? "or" : "and", of };
    }
    if (a === undefined || b === undefined) return { kind: "truth", term: this.term(expr, spans), holds };
    const comparison = operator && this.comparison(operator, a, b, spans, holds);
    // Equal texts have equal truth values, unless they err.
    return comparison ?? { kind: "truth", term: this.term(expr, spans), holds };
  }

  private comparison(operator: Operator, a: Expr, b: Expr, spans: Spans, holds: boolean): Atom | undefined {
    if (operator.kind === "equality") {
      const [left, right] = [constantOf(a), constantOf(b)];
      const equal = operator.equal === holds;
      if (left !== undefined && right !== undefined)
        return { kind: "constant", value: (left.value === right.value) === equal };
      const value = left ?? right;
      const term = this.term(left === undefined ? a : b, spans);
      return value === undefined ? undefined : { kind: "in", term, values: [value.value], holds: equal };
    }
    if (operator.kind === "membership" && b.kind === "list") {
      const values = b.elements.map(constantOf);
      const known = values.flatMap((value) => value ?? []);
      if (known.length < values.length || constantOf(a) !== undefined) return undefined;
      return { kind: "in", term: this.term(a, spans), values: known.map(({ value }) => value), holds };
    }
    // "Not less" does not mean "at least": NaN is neither.
    return operator.kind === "ordering" && holds ? this.order(operator, a, b, spans) : undefined;
  }

  private order({ symbol, converse }: OrderingOperator, a: Expr, b: Expr, spans: Spans): Atom | undefined {
    const [left, right] = [constantOf(a)?.value, constantOf(b)?.value];
    if (typeof right === "number" && left === undefined) {
      return { kind: "order", term: this.term(a, spans), operator: symbol, bound: right };
    }
    if (typeof left === "number" && right === undefined) {
      return { kind: "order", term: this.term(b, spans), operator: converse, bound: left };
    }
    return undefined;
  }

  /** Equal for expressions with one value: an attribute by its path, any other expression by its text. */
  private term(expr: Expr, spans: Spans): string {
    const chain = chainOf(expr);
    const [read] = chain === undefined ? [] : usageOf(expr).reads;
    if (read !== undefined) return JSON.stringify([read.root, ...read.path]);
    const variable = definitionOf(expr, this.definitions);
    if (variable !== undefined) return this.term(variable.expr, new Spans(variable.source));
    return spans.textOf(expr).trim();
  }
}

/** A constant that `===` compares as CEL does. Numbers of different types are equal by value. */
function constantOf(expr: Expr): { readonly value: AtomConstant } | undefined {
  if (expr.kind !== "literal") return undefined;
  const value: CelValue = expr.value;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return { value };
  if (typeof value === "number") return Number.isNaN(value) ? undefined : { value: value === 0 ? 0 : value };
  if (typeof value !== "bigint") return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? { value: number } : undefined;
}
