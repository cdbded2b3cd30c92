/**
 * What cel-go checks and then cannot plan (`interpreter/planner.go`): a variable that holds a type, which it takes for the
 * name of one (`planCheckedIdent`), and an index that is constant and of no kind that it has a qualifier for. Which types
 * these have is known once the whole expression is checked.
 */

import type { Call, Doom, Expr } from "../ast.js";
import { OPERATORS } from "../operators.js";
import { DYN, type Type } from "../types.js";
import type { Unifier } from "./unify.js";

/** A checked part of an expression, and its type. */
export interface Typed {
  readonly expr: Expr;
  readonly type: Type;
}

type Doubt = { readonly at: number } & (
  | { readonly kind: "bound"; readonly name: string; readonly type: Type }
  | { readonly kind: "index"; readonly key: Typed }
);

export class Doubts {
  private readonly doubts: Doubt[] = [];

  get size(): number {
    return this.doubts.length;
  }

  /** A variable that a macro binds. */
  bound(at: number, name: string, type: Type): void {
    this.doubts.push({ kind: "bound", at, name, type });
  }

  index(at: number, key: Typed): void {
    if (isConstant(key.expr)) this.doubts.push({ kind: "index", at, key });
  }

  /**
   * What a constant settles is left out before the rest is planned: `true || x`, and a branch of `true ? x : y`. `ends`:
   * {@link size} before the arguments of the call and after each.
   */
  leaveOut(fn: string, [first, ...others]: readonly Typed[], ends: readonly number[]): void {
    const operator = OPERATORS.get(fn)?.kind;
    const [start = 0, condition = 0, then = 0] = ends;
    if (operator === "junction") {
      const settled = fn === "_||_";
      if ([first, ...others].some((typed) => constantOf(typed) === settled)) this.doubts.length = start;
    }
    if (operator !== "conditional") return;
    if (constantOf(first) === true) this.doubts.length = then;
    else if (constantOf(first) === false) this.doubts.splice(condition, then - condition);
  }

  /** Why the expression cannot be planned; undefined if it can. */
  resolved(unifier: Unifier, types: ReadonlyMap<Expr, Type>): Doom | undefined {
    for (const doubt of this.doubts) {
      const { at } = doubt;
      if (doubt.kind === "bound") {
        if (unifier.resolve(doubt.type).kind === "type")
          return { at, message: `reference to undefined type: ${doubt.name}` };
      } else if (!QUALIFIERS.has(unifier.resolve(plainType(doubt.key, types)).kind)) {
        return { at, message: "invalid qualifier type" };
      }
    }
    return undefined;
  }
}

/** Types of an index that the planner has a qualifier for, or that are known only when it is evaluated. */
const QUALIFIERS: ReadonlySet<Type["kind"]> = new Set(["string", "int", "uint", "double", "bool", "dyn", "param"]);

/** The type, through `dyn`. */
function plainType({ expr, type }: Typed, types: ReadonlyMap<Expr, Type>): Type {
  const arg = isDyn(expr) ? expr.args[0] : undefined;
  return arg === undefined ? type : plainType({ expr: arg, type: types.get(arg) ?? DYN }, types);
}

function isDyn(expr: Expr): expr is Call {
  return expr.kind === "call" && expr.fn === "dyn";
}

function constantOf(typed: Typed | undefined): unknown {
  return typed?.expr.kind === "literal" ? typed.expr.value : undefined;
}

/** Whether the planner finds a value in place of an expression. */
function isConstant(expr: Expr): boolean {
  switch (expr.kind) {
    case "literal":
      return true;
    case "call":
      return expr.fn !== "now" && expr.args.every(isConstant);
    case "member":
      return expr.fn !== "timeSince" && isConstant(expr.target) && expr.args.every(isConstant);
    case "list":
      return expr.elements.every(isConstant);
    case "map":
      return expr.entries.every(({ key, value }) => isConstant(key) && isConstant(value));
    default:
      return false;
  }
}
