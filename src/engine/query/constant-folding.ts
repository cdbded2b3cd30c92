/**
 * Constant folding, as the server does it when it loads policies: constants are evaluated (`cel/folding.go` of cel-go),
 * unless the expression asks for the time. Plans show it where they have parts that no question evaluates. Folding does
 * not look into variables, and knows nothing of requests.
 */

import { children, type Expr, type Macro } from "../../cel/ast.js";
import { type CompileEnv, compile, Slots } from "../../cel/compile.js";
import { Evaluation } from "../../cel/evaluation.js";
import { hasBooleanForm, usageOf } from "../../cel/expression-usage.js";
import type { FunctionSet } from "../../cel/functions/functions.js";
import { OPERATORS } from "../../cel/operators.js";
import { type CelValue, OptionalValue, TypeValue } from "../../cel/values.js";
import { mapParts } from "../residual/map-parts.js";
import { constantOf, ERROR, literal } from "../residual/residual-expression.js";
import { replaceNames } from "./macro-passes.js";
import { knownOptional, withKnownElements } from "./optionals.js";
import { hasWords } from "./wording.js";

/** Replace macro bodies that are constant: the server leaves nothing of them that a plan could state. */
const FOLDED_BODIES: readonly Expr[] = [literal(false), literal(true)];

export function isFoldedBody(body: Expr): boolean {
  return FOLDED_BODIES.includes(body);
}

export function foldConstants(expr: Expr, functions: FunctionSet): Expr {
  if (usageOf(expr).needsTime) return expr;
  const folding = new ConstantFolding(functions);
  const made = withoutOptionals(folding.walks(folding.constants(expr)));
  // A result that has no form as an expression prevents the folding of the whole expression.
  return hasForm(made) ? made : expr;
}

class ConstantFolding {
  private readonly env: CompileEnv;
  /** One budget for all constants of an expression. */
  private readonly evaluation = new Evaluation();

  constructor(functions: FunctionSet) {
    this.env = { functions, variables: new Map(), constants: new Map(), slots: new Slots() };
  }

  /** `isWithin`: inside a macro or `cel.bind`. Macros and binds there are not evaluated by themselves. */
  constants(expr: Expr, isWithin = false): Expr {
    const isWalk = expr.kind === "macro" || expr.kind === "bind";
    const made = mapParts(expr, (part) => this.constants(part, isWithin || isWalk));
    if (isWalk && !isWithin && unnamed(made) === made) return this.evaluated(made);
    if (made.kind === "macro") return withoutFilter(made);
    return made.kind !== "optional" && children(made).every(isConstant) ? this.evaluated(made) : chosen(made);
  }

  /**
   * Evaluates macros that do not need all values that they read. This is the last step: results are not folded any
   * further.
   */
  walks(expr: Expr): Expr {
    const made = mapParts(expr, (part) => this.walks(part));
    return made.kind === "macro" || made.kind === "bind" ? this.evaluated(made) : made;
  }

  private evaluated(expr: Expr): Expr {
    const value = compile(unnamed(expr), this.env)(this.evaluation);
    return value === undefined ? expr : literal(value, expr.at);
  }
}

/** For cel-go, the name of a type is not a constant. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === "optional") return isConstant(expr.value);
  return expr.kind === "literal" && !(expr.value instanceof TypeValue);
}

/** Replaces each unbound name by an error. */
function unnamed(expr: Expr): Expr {
  return replaceNames(expr, () => ERROR);
}

/** Simplifies `&&`, `||` and conditionals with a constant operand. */
function chosen(expr: Expr): Expr {
  const operator = expr.kind === "call" ? OPERATORS.get(expr.fn) : undefined;
  const parts = children(expr);
  if (operator?.kind === "conditional") {
    const [test, yes, no] = parts;
    const value = test && constantOf(test);
    return (value === true ? yes : value === false ? no : undefined) ?? expr;
  }
  if (operator?.kind !== "junction") return expr;
  const { decisive } = operator;
  if (parts.some((part) => constantOf(part) === decisive)) return literal(decisive, expr.at);
  const [only = expr, ...more] = parts.filter((part) => constantOf(part) !== !decisive);
  return more.length === 0 && hasBooleanForm(only) ? only : expr;
}

/** Simplifies a macro with a constant filter. */
function withoutFilter(macro: Macro): Expr {
  const { v1, filter, at } = macro;
  const value = filter && constantOf(filter);
  if (typeof value !== "boolean") return macro;
  // For the server this is a `map` without a body, which says nothing.
  if (value && macro.macro === "exists_one") return macro;
  if (!value || macro.macro === "exists" || macro.macro === "all") {
    return { ...macro, filter: FOLDED_BODIES[Number(value)] };
  }
  if (macro.macro !== "filter") return { ...macro, filter: undefined };
  return { ...macro, macro: "map", filter: undefined, transform: { kind: "ident", name: v1, of: "local", at } };
}

/** Replaces constant optional elements and entries by their values. */
function withoutOptionals(expr: Expr): Expr {
  const made = withKnownElements(mapParts(expr, withoutOptionals));
  if (made.kind !== "map") return made;
  const entries = made.entries.flatMap(({ key, value }) => {
    const known = value.kind === "optional" && key.kind === "literal" ? knownOptional(value.value) : undefined;
    if (known === undefined) return [{ key, value }];
    return known.value === undefined ? [] : [{ key, value: literal(known.value, value.at) }];
  });
  return { ...made, entries };
}

function hasForm(expr: Expr): boolean {
  return expr.kind === "literal" ? isWritten(expr.value) : children(expr).every(hasForm);
}

function isWritten(value: CelValue): boolean {
  if (value instanceof OptionalValue) return value.value === undefined || isWritten(value.value);
  return value instanceof TypeValue || hasWords(value);
}
