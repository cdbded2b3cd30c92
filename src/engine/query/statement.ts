/** Statements about a resource: joined expressions that have a residual. */

import type { Expr } from "../../cel/ast.js";
import type { QueryLogic } from "../plan/query-walk.js";
import { constantOf, FALSE } from "../residual/residue.js";
import { type Operand, operandText, operation } from "./operand.js";
import { Wording } from "./wording.js";

export type Statement =
  | { readonly kind: "expr"; readonly expr: Expr }
  | { readonly kind: "and" | "or" | "not"; readonly of: readonly Statement[] };

export const NEVER: Statement = { kind: "expr", expr: FALSE };

export function stated(expr: Expr): Statement {
  return { kind: "expr", expr };
}

/**
 * The truth of a statement, if it is the same for every resource. Like the server, it examines only single expressions.
 */
export function truthOf(statement: Statement): boolean | undefined {
  const value = statement.kind === "expr" ? constantOf(statement.expr) : undefined;
  return typeof value === "boolean" ? value : undefined;
}

export function negated(statement: Statement): Statement {
  const [inner] = statement.kind === "not" ? statement.of : [];
  return inner ?? { kind: "not", of: [statement] };
}

/** A statement as an expression. */
export function exprOf(statement: Statement): Expr {
  if (statement.kind === "expr") return statement.expr;
  const parts = statement.of.map(exprOf);
  return statement.kind === "not" ? call("!_", parts) : nested(statement.kind === "and" ? "_&&_" : "_||_", parts);
}

/** Nests calls to the right: `a op (b op c)`. */
export function nested(fn: string, parts: readonly Expr[]): Expr {
  const [first = FALSE, ...rest] = parts;
  return rest.length === 0 ? first : call(fn, [first, nested(fn, rest)]);
}

export function call(fn: string, args: readonly Expr[]): Expr {
  return { kind: "call", fn, at: 0, overload: undefined, args };
}

/** Converts a statement to the tree of a query plan, without simplification. */
export function operandOf(statement: Statement, wording: Wording): Operand {
  if (statement.kind === "expr") return wording.operand(statement.expr);
  return operation(
    statement.kind,
    statement.of.map((part) => operandOf(part, wording)),
  );
}

/** Joins statements as the server does: two equal statements become one. */
export function logicOf(): QueryLogic<Statement> {
  const wording = new Wording(true);
  const text = (statement: Statement) => operandText(operandOf(statement, wording));
  const joined = (kind: "and" | "or") => (a: Statement, b: Statement) =>
    text(a) === text(b) ? a : ({ kind, of: [a, b] } as const);
  return { never: NEVER, both: joined("and"), either: joined("or"), not: negated, constant: truthOf };
}
