/** The parts of an expression that have values to show, with their places in its text. */

import { children, type Expr } from "../../cel/ast.js";
import { chainOf, factsOf } from "../../cel/facts.js";
import { Spans } from "../../cel/spans.js";
import type { Expression } from "../../policy/model.js";

/** The operators whose values follow from those of their parts. */
export type Logic = "and" | "or" | "not" | "if";

export interface Part {
  readonly expr: Expr;
  /** Undefined for what is none of these. */
  readonly logic: Logic | undefined;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
  /** The variable that the part is. */
  readonly variable: string | undefined;
  /** The fields of an attribute, from its root: `["P", "attr", "limits"]`. */
  readonly path: readonly string[] | undefined;
}

export function partsOf(expression: Expression): Part {
  return new Reader(expression).part(expression.expr);
}

class Reader {
  private readonly source: string;
  private readonly spans: Spans;

  constructor({ source }: Expression) {
    this.source = source;
    this.spans = new Spans(source);
  }

  part(expr: Expr): Part {
    const { start, end } = this.spans.of(expr);
    const logic = logicOf(expr);
    const inner = logic === undefined ? valuesIn(expr) : operands(expr, logic);
    const chain = chainOf(expr);
    const isVariable = chain?.of === "variable" && chain.fields.length === 1;
    return {
      expr,
      logic,
      text: this.source.slice(start, end),
      start,
      end,
      parts: inner.map((one) => this.part(one)),
      variable: isVariable ? chain.fields[0] : undefined,
      path: chain?.of === "request" ? [chain.root, ...chain.fields] : undefined,
    };
  }
}

const LOGIC: ReadonlyMap<string, Logic> = new Map([
  ["_&&_", "and"],
  ["_||_", "or"],
  ["!_", "not"],
  ["_?_:_", "if"],
]);

function logicOf(expr: Expr): Logic | undefined {
  return expr.kind === "call" ? LOGIC.get(expr.fn) : undefined;
}

/** The operands of a logical operator; a chain of one operator, which the parser nests, is one. */
function operands(expr: Expr, logic: Logic): readonly Expr[] {
  if (expr.kind !== "call") return [expr];
  if (logic !== "and" && logic !== "or") return expr.args;
  return expr.args.flatMap((arg) => (logicOf(arg) === logic ? operands(arg, logic) : [arg]));
}

/** What is in the body of a macro has many values, or none. */
function valuesIn(expr: Expr): readonly Expr[] {
  if (chainOf(expr) !== undefined || expr.kind === "has") return [];
  if (expr.kind === "macro") return shown(expr.range);
  if (expr.kind === "bind") return shown(expr.init);
  if (expr.kind === "call" && expr.fn === "_+_") return addends(expr).flatMap(shown);
  return children(expr).flatMap(shown);
}

/** What a chain of `+` adds up, which the parser nests. */
function addends(expr: Expr): readonly Expr[] {
  return expr.kind === "call" && expr.fn === "_+_" ? expr.args.flatMap(addends) : [expr];
}

function shown(expr: Expr): readonly Expr[] {
  if (chainOf(expr) !== undefined) return isRead(expr) ? [expr] : [];
  return isConstant(expr) ? [] : [expr];
}

/** A chain that starts from a name of the environment. */
function isRead(expr: Expr): boolean {
  const { reads, variables, constants } = factsOf(expr);
  return reads.length + variables.size + constants.size > 0;
}

/** A list is a value of its own if there is something to work out in it. */
function isConstant(expr: Expr): boolean {
  return expr.kind === "literal" || ((expr.kind === "list" || expr.kind === "map") && children(expr).every(isConstant));
}
