/**
 * What the server makes of an expression when it loads policies: what is constant is evaluated (`cel/folding.go` of
 * cel-go), unless the expression asks for the time. Plans show that where they have parts that no question evaluates.
 * Variables are not looked into by it, and nothing is known of requests.
 */

import { children, type Expr, type Macro } from "../../cel/ast.js";
import { type CompileEnv, compile, Slots } from "../../cel/compile.js";
import { Evaluation } from "../../cel/evaluation.js";
import { hasBooleanForm, usageOf } from "../../cel/expression-usage.js";
import type { FunctionSet } from "../../cel/functions/functions.js";
import { OPERATORS } from "../../cel/operators.js";
import { type CelValue, OptionalValue, TypeValue } from "../../cel/values.js";
import { mapped } from "../residual/mapped.js";
import { constantOf, ERROR, literal } from "../residual/residue.js";
import { knownOptional, withKnownElements } from "./optionals.js";
import { replaced } from "./passes.js";
import { hasWords } from "./wording.js";

/** In place of a body that is constant, and of which the server leaves nothing that it could say. */
const FOLDED_BODIES: readonly Expr[] = [literal(false), literal(true)];

export function isFoldedBody(body: Expr): boolean {
  return FOLDED_BODIES.includes(body);
}

export function folded(expr: Expr, functions: FunctionSet): Expr {
  if (usageOf(expr).needsTime) return expr;
  const folding = new Folding(functions);
  const made = withoutOptionals(folding.walks(folding.constants(expr)));
  // What has no form as an expression keeps the whole of it from being folded.
  return hasForm(made) ? made : expr;
}

class Folding {
  private readonly env: CompileEnv;
  /** One budget for all constants of an expression. */
  private readonly evaluation = new Evaluation();

  constructor(functions: FunctionSet) {
    this.env = { functions, variables: new Map(), constants: new Map(), slots: new Slots() };
  }

  /** `isWithin`: within a macro or `cel.bind`, which have nothing of the kind in them evaluated by itself. */
  constants(expr: Expr, isWithin = false): Expr {
    const isWalk = expr.kind === "macro" || expr.kind === "bind";
    const made = mapped(expr, (part) => this.constants(part, isWithin || isWalk));
    if (isWalk && !isWithin && unnamed(made) === made) return this.evaluated(made);
    if (made.kind === "macro") return withoutFilter(made);
    return made.kind !== "optional" && children(made).every(isConstant) ? this.evaluated(made) : chosen(made);
  }

  /** What a macro comes to need not depend on all that it reads. This is found out last, and nothing is made of it. */
  walks(expr: Expr): Expr {
    const made = mapped(expr, (part) => this.walks(part));
    return made.kind === "macro" || made.kind === "bind" ? this.evaluated(made) : made;
  }

  private evaluated(expr: Expr): Expr {
    const value = compile(unnamed(expr), this.env)(this.evaluation);
    return value === undefined ? expr : literal(value, expr.at);
  }
}

/** To cel-go, the name of a type is none. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === "optional") return isConstant(expr.value);
  return expr.kind === "literal" && !(expr.value instanceof TypeValue);
}

/** With an error in place of each name that is not bound in it. */
function unnamed(expr: Expr): Expr {
  return replaced(expr, () => ERROR);
}

/** What a constant leaves of `&&`, `||` and conditionals. */
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

/** What a filter that is constant leaves of a macro. */
function withoutFilter(macro: Macro): Expr {
  const { v1, filter, at } = macro;
  const value = filter && constantOf(filter);
  if (typeof value !== "boolean") return macro;
  // To the server, that is a `map` without a body, which says nothing.
  if (value && macro.macro === "exists_one") return macro;
  if (!value || macro.macro === "exists" || macro.macro === "all") {
    return { ...macro, filter: FOLDED_BODIES[Number(value)] };
  }
  if (macro.macro !== "filter") return { ...macro, filter: undefined };
  return { ...macro, macro: "map", filter: undefined, transform: { kind: "ident", name: v1, of: "local", at } };
}

/** With what is constant of optional elements and entries in their place. */
function withoutOptionals(expr: Expr): Expr {
  const made = withKnownElements(mapped(expr, withoutOptionals));
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
