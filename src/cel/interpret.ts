/**
 * The one traversal of checked expressions. It tells the forms of expressions apart: names, operators, calls, macros. A
 * domain turns each form into a closure, JavaScript text or a formula. A domain interprets the parts of a form itself,
 * since it may need only some of them, or none.
 */

import {
  type Bind,
  type Call,
  type Expr,
  type Has,
  type Ident,
  type ListLiteral,
  type Literal,
  type Macro,
  type MapLiteral,
  type MemberCall,
  type OptionalEntry,
  type Select,
  testedBy,
} from "./ast.js";
import { type NameReference, referenceOf } from "./expression-usage.js";
import {
  type ArithmeticOperator,
  type EqualityOperator,
  type JunctionOperator,
  OPERATORS,
  type OrderingOperator,
} from "./operators.js";

/** `T`: the result for an expression. `S`: the context in which the expression stands. */
export interface Domain<S, T> {
  literal(expr: Literal, scope: S): T;
  /** `P.attr.x`, `V.x`, or the variable of a macro. */
  reference(reference: NameReference, expr: Expr, scope: S): T;
  /** A field of any other value. */
  select(expr: Select, scope: S): T;
  /** `reference`: the operand of `has()`, if it is a name or a value of the request. */
  has(expr: Has, reference: NameReference | undefined, scope: S): T;
  list(expr: ListLiteral, scope: S): T;
  map(expr: MapLiteral, scope: S): T;
  macro(expr: Macro, scope: S): T;
  bind(expr: Bind, scope: S): T;
  /** A node that is not a whole expression: an optional entry of a literal, or `G` in `G.?x`. */
  part(expr: OptionalEntry | Ident, scope: S): T;
  junction(expr: Call, operator: JunctionOperator, scope: S): T;
  not(operand: Expr, expr: Call, scope: S): T;
  conditional(test: Expr, yes: Expr, no: Expr, expr: Call, scope: S): T;
  equality(left: Expr, right: Expr, operator: EqualityOperator, scope: S): T;
  ordering(left: Expr, right: Expr, operator: OrderingOperator, expr: Call, scope: S): T;
  membership(item: Expr, container: Expr, expr: Call, scope: S): T;
  arithmetic(left: Expr, right: Expr, operator: ArithmeticOperator, expr: Call, scope: S): T;
  negative(operand: Expr, expr: Call, scope: S): T;
  /** `container[key]`. */
  index(container: Expr, key: Expr, expr: Call, scope: S): T;
  /** `operand.?field`. */
  optionalField(operand: Expr, field: string, expr: Call, scope: S): T;
  /** A call of a function. For a member call the target is the first of `args`. */
  call(expr: Call | MemberCall, args: readonly Expr[], scope: S): T;
}

/** Interprets an expression in a domain. */
export function interpret<S, T>(expr: Expr, domain: Domain<S, T>, scope: S): T {
  const reference = referenceOf(expr);
  if (reference !== undefined) return domain.reference(reference, expr, scope);
  switch (expr.kind) {
    case "literal":
      return domain.literal(expr, scope);
    case "select":
      return domain.select(expr, scope);
    case "has":
      return domain.has(expr, referenceOf(testedBy(expr)), scope);
    case "list":
      return domain.list(expr, scope);
    case "map":
      return domain.map(expr, scope);
    case "macro":
      return domain.macro(expr, scope);
    case "bind":
      return domain.bind(expr, scope);
    case "call":
      return operation(expr, domain, scope);
    case "member":
      return domain.call(expr, [expr.target, ...expr.args], scope);
    case "optional":
    case "ident":
      return domain.part(expr, scope);
  }
}

function operation<S, T>(expr: Call, domain: Domain<S, T>, scope: S): T {
  const operator = OPERATORS.get(expr.fn);
  const [a, b, c] = expr.args;
  if (operator === undefined || a === undefined) return domain.call(expr, expr.args, scope);
  if (operator.kind === "not") return domain.not(a, expr, scope);
  if (operator.kind === "negative") return domain.negative(a, expr, scope);
  if (b === undefined) return domain.call(expr, expr.args, scope);
  switch (operator.kind) {
    case "junction":
      return domain.junction(expr, operator, scope);
    case "equality":
      return domain.equality(a, b, operator, scope);
    case "ordering":
      return domain.ordering(a, b, operator, expr, scope);
    case "membership":
      return domain.membership(a, b, expr, scope);
    case "arithmetic":
      return domain.arithmetic(a, b, operator, expr, scope);
    case "index":
      return domain.index(a, b, expr, scope);
    case "conditional":
      if (c !== undefined) return domain.conditional(a, b, c, expr, scope);
      break;
    case "optionalField":
      if (b.kind === "literal" && typeof b.value === "string") return domain.optionalField(a, b.value, expr, scope);
      break;
    case "optionalIndex":
      break;
  }
  return domain.call(expr, expr.args, scope);
}
