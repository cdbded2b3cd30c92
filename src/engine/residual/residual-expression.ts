/** Residuals of expressions: checked trees again, in which literals are known values. */

import { children, type Expr, everyChild, type Ident, type Literal, type Select } from "../../cel/ast.js";
import type { CelValue } from "../../cel/values.js";

/** A known value. */
export function literal(value: CelValue, at = 0): Literal {
  return { kind: "literal", value, at };
}

export const TRUE = literal(true);
export const FALSE = literal(false);

/** An expression that errs for every row: `[][0]`. */
export const ERROR: Expr = {
  kind: "call",
  fn: "_[_]",
  at: 0,
  overload: undefined,
  args: [{ kind: "list", at: 0, elements: [] }, literal(0n)],
};

/** An expression about which nothing is known: it has no form as an expression, or computing it takes too long. */
export const UNKNOWN: Expr = { kind: "ident", name: "", of: "local", at: 0 };

const VARIABLES: Ident = { kind: "ident", name: "V", of: "variable", at: 0 };

/** The sort of a known value that was not read. `texts`, `scalars`: a list of such values; `other`: anything else. */
export type KnownSort = "string" | "number" | "texts" | "scalars" | "other";

/**
 * A known value that was not read (`question-log.ts`): it is not true, false, null or a type. Other code sees it as a
 * variable with a name that no policy can have.
 */
export class KnownValue implements Select {
  readonly kind = "select";
  readonly operand = VARIABLES;
  readonly field: string;
  readonly at = 0;
  readonly number: number;
  readonly sort: KnownSort;

  constructor(number: number, sort: KnownSort) {
    this.field = `#${number}`;
    this.number = number;
    this.sort = sort;
  }
}

/** The value of a literal. */
export function constantOf(expr: Expr): CelValue | undefined {
  return expr.kind === "literal" ? expr.value : undefined;
}

/** Whether an expression has a known value. */
export function isKnown(expr: Expr): boolean {
  return expr.kind === "literal" || expr instanceof KnownValue;
}

/** Larger trees become {@link UNKNOWN}: variables that each read another one twice grow without bound. */
const MAX_SIZE = 20_000;

/** Sizes of trees that may share parts. */
export class Sizes {
  private readonly known = new Map<Expr, number>();

  /** The expression, or {@link UNKNOWN} if it is too large. */
  bounded(expr: Expr): Expr {
    return this.of(expr) > MAX_SIZE ? UNKNOWN : expr;
  }

  private of(expr: Expr): number {
    const known = this.known.get(expr);
    if (known !== undefined) return known;
    const made = children(expr).reduce((sum, child) => sum + this.of(child), 1);
    this.known.set(expr, made);
    return made;
  }
}

/** Whether an expression reads a variable of a macro around it, or has {@link UNKNOWN} in it, which counts as one. */
export function hasFreeLocals(expr: Expr, bound: readonly string[] = []): boolean {
  if (expr.kind === "ident") return expr.of === "local" && !bound.includes(expr.name);
  return !everyChild(expr, bound, (child, names) => !hasFreeLocals(child, names));
}

/** Whether {@link UNKNOWN} is part of an expression. */
export function hasUnknown(expr: Expr): boolean {
  return expr === UNKNOWN || children(expr).some(hasUnknown);
}
