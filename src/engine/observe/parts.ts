/** The parts of an expression that have values to show, with their places in its text. */

import { children, type Expr, operandsOf } from "../../cel/ast.js";
import { chainOf, nameOf } from "../../cel/expression-usage.js";
import { OPERATORS } from "../../cel/operators.js";
import { Spans } from "../../cel/spans.js";
import type { Expression } from "../../policy/model.js";

/** The logical operators: their values follow from those of their parts. */
export type LogicOperator = "and" | "or" | "not" | "if";

export interface ExpressionPart {
  readonly expr: Expr;
  /** Undefined for other expressions. */
  readonly logic: LogicOperator | undefined;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly parts: readonly ExpressionPart[];
  /** The name of the variable, if the part is one. */
  readonly variable: string | undefined;
  /** The fields of an attribute, from its root: `["P", "attr", "limits"]`. */
  readonly path: readonly string[] | undefined;
}

export function partsOf(expression: Expression): ExpressionPart {
  return new ExpressionPartReader(expression).part(expression.expr);
}

class ExpressionPartReader {
  private readonly source: string;
  private readonly spans: Spans;

  constructor({ source }: Expression) {
    this.source = source;
    this.spans = new Spans(source);
  }

  part(expr: Expr): ExpressionPart {
    const { start, end } = this.spans.of(expr);
    const logic = logicOf(expr);
    const chain = chainOf(expr);
    return {
      expr,
      logic,
      text: this.source.slice(start, end),
      start,
      end,
      parts: innerOf(expr, logic).map((one) => this.part(one)),
      variable: nameOf(expr, "variable"),
      path: chain?.of === "request" ? [chain.root, ...chain.fields] : undefined,
    };
  }
}

function logicOf(expr: Expr): LogicOperator | undefined {
  const operator = expr.kind === "call" ? OPERATORS.get(expr.fn) : undefined;
  if (operator?.kind === "junction") return operator.decisive ? "or" : "and";
  if (operator?.kind === "conditional") return "if";
  return operator?.kind === "not" ? "not" : undefined;
}

/**
 * A chain of one `&&`, `||` or `+` is one part, although the parser nests it. The body of a macro has no part: it has a
 * value for each element, or none.
 */
function innerOf(expr: Expr, logic: LogicOperator | undefined): readonly Expr[] {
  if (chainOf(expr) !== undefined || expr.kind === "has") return [];
  if (expr.kind === "macro") return shown(expr.range);
  if (expr.kind === "bind") return shown(expr.init);
  if (expr.kind !== "call") return children(expr).flatMap(shown);
  const operands = logic === "and" || logic === "or" || expr.fn === "_+_" ? operandsOf(expr) : expr.args;
  return logic === undefined ? operands.flatMap(shown) : operands;
}

function shown(expr: Expr): readonly Expr[] {
  return isConstant(expr) ? [] : [expr];
}

/** Whether an expression is a literal, or a list or map of constants. */
function isConstant(expr: Expr): boolean {
  return expr.kind === "literal" || ((expr.kind === "list" || expr.kind === "map") && children(expr).every(isConstant));
}
