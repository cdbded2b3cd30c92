/** Statements about a resource: joined expressions that have a residual. */

import type { Expr } from "../../cel/ast.js";
import type { QueryLogic } from "../plan/query-walk.js";
import { constantOf, FALSE } from "../residual/residual-expression.js";
import { operandText, operation, type QueryOperand } from "./operand.js";
import { QueryWording } from "./wording.js";

export type QueryStatement =
  | { readonly kind: "expr"; readonly expr: Expr }
  | { readonly kind: "and" | "or" | "not"; readonly of: readonly QueryStatement[] };

export const NEVER: QueryStatement = { kind: "expr", expr: FALSE };

export function stated(expr: Expr): QueryStatement {
  return { kind: "expr", expr };
}

/**
 * The truth of a statement, if it is the same for every resource. Like the server, it examines only single expressions.
 */
export function truthOf(statement: QueryStatement): boolean | undefined {
  const value = statement.kind === "expr" ? constantOf(statement.expr) : undefined;
  return typeof value === "boolean" ? value : undefined;
}

export function negated(statement: QueryStatement): QueryStatement {
  const [inner] = statement.kind === "not" ? statement.of : [];
  return inner ?? { kind: "not", of: [statement] };
}

/** A statement as an expression. */
export function exprOf(statement: QueryStatement): Expr {
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
export function operandOf(statement: QueryStatement, wording: QueryWording): QueryOperand {
  if (statement.kind === "expr") return wording.operand(statement.expr);
  return operation(
    statement.kind,
    statement.of.map((part) => operandOf(part, wording)),
  );
}

/** Joins statements as the server does: two equal statements become one. */
export function logicOf(): QueryLogic<QueryStatement> {
  const wording = new QueryWording("kept");
  const text = (statement: QueryStatement) => operandText(operandOf(statement, wording));
  const joined = (kind: "and" | "or") => (a: QueryStatement, b: QueryStatement) =>
    text(a) === text(b) ? a : ({ kind, of: [a, b] } as const);
  return { never: NEVER, both: joined("and"), either: joined("or"), not: negated, constant: truthOf };
}
