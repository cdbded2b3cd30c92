/** What is left of expressions: checked trees again, in which a literal is what is known. */

import { children, type Expr, type Ident, type Literal, type Select } from "../../cel/ast.js";
import type { CelValue } from "../../cel/values.js";

/** A value that is known. */
export function literal(value: CelValue, at = 0): Literal {
  return { kind: "literal", value, at };
}

export const TRUE = literal(true);
export const FALSE = literal(false);

/** What errs whatever the row: `[][0]`. */
export const ERROR: Expr = {
  kind: "call",
  fn: "_[_]",
  at: 0,
  overload: undefined,
  args: [{ kind: "list", at: 0, elements: [] }, literal(0n)],
};

/** Of which nothing can be said: it cannot be written as an expression, or to find it out takes too long. */
export const UNKNOWN: Expr = { kind: "ident", name: "", of: "local", at: 0 };

const VARIABLES: Ident = { kind: "ident", name: "V", of: "variable", at: 0 };

/** What a value is that is known and not looked at; `texts`, `scalars`: a list of them; `other`: nothing of the kind. */
export type KnownSort = "string" | "number" | "texts" | "scalars" | "other";

/**
 * A value that is known and not looked at (`inquiry.ts`): neither true, false, null nor a type. To whatever reads
 * expressions it is a variable with a name that no policy can have.
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

/** An expression's value, if it stands there. */
export function constantOf(expr: Expr): CelValue | undefined {
  return expr.kind === "literal" ? expr.value : undefined;
}

/** Whether an expression has a value that is known. */
export function isKnown(expr: Expr): boolean {
  return expr.kind === "literal" || expr instanceof KnownValue;
}

/** Larger trees are taken for {@link UNKNOWN}: variables that read others twice each grow without bound. */
const MAX_SIZE = 20_000;

/** The sizes of trees of which parts may be shared. */
export class Sizes {
  private readonly known = new Map<Expr, number>();

  /** The expression, unless it is too large. */
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

/** Whether an expression reads a variable of a macro around it, or has {@link UNKNOWN} in it, which goes as one. */
export function hasFreeLocals(expr: Expr, bound: readonly string[] = []): boolean {
  switch (expr.kind) {
    case "ident":
      return expr.of === "local" && !bound.includes(expr.name);
    case "macro": {
      const within = [...bound, expr.v1, ...(expr.v2 === undefined ? [] : [expr.v2])];
      const bodies = [expr.filter, expr.transform].filter((body) => body !== undefined);
      return hasFreeLocals(expr.range, bound) || bodies.some((body) => hasFreeLocals(body, within));
    }
    case "bind":
      return hasFreeLocals(expr.init, bound) || hasFreeLocals(expr.body, [...bound, expr.name]);
    default:
      return children(expr).some((child) => hasFreeLocals(child, bound));
  }
}

/** Whether {@link UNKNOWN} is part of an expression. */
export function hasUnknown(expr: Expr): boolean {
  return expr === UNKNOWN || children(expr).some(hasUnknown);
}
