/**
 * What cel-go checks and then cannot plan (`interpreter/planner.go`): a variable that holds a type, which it takes for the
 * name of one (`planCheckedIdent`), and an index that is constant and of no kind that it has a qualifier for. Which types
 * these have is known once the whole expression is checked.
 */

import type { Doom, Expr, Syntax } from "../ast.js";
import { OPERATORS } from "../operators.js";
import { DYN, type Type } from "../types.js";
import type { Unifier } from "./unify.js";

/** A checked node, and its type; after an issue that is `dyn`, so that one mistake is reported once. */
export interface Typed {
  readonly expr: Expr;
  readonly type: Type;
}

type Suspect = { readonly at: number } & (
  | { readonly kind: "bound"; readonly name: string; readonly type: Type }
  | { readonly kind: "index"; readonly key: Syntax }
);

export class Dooms {
  private readonly suspects: Suspect[] = [];

  get size(): number {
    return this.suspects.length;
  }

  /** A variable that a macro binds. */
  bound(at: number, name: string, type: Type): void {
    this.suspects.push({ kind: "bound", at, name, type });
  }

  /** An index: as it was written, and checked. */
  index(at: number, key: Syntax, checked: Expr): void {
    if (isConstant(checked)) this.suspects.push({ kind: "index", at, key });
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
      if ([first, ...others].some((typed) => constantOf(typed) === settled)) this.suspects.length = start;
    }
    if (operator !== "conditional") return;
    if (constantOf(first) === true) this.suspects.length = then;
    else if (constantOf(first) === false) this.suspects.splice(condition, then - condition);
  }

  /** Why the expression cannot be planned; undefined if it can. */
  found(unifier: Unifier, types: ReadonlyMap<Syntax, Type>): Doom | undefined {
    for (const suspect of this.suspects) {
      const { at } = suspect;
      if (suspect.kind === "bound") {
        if (unifier.resolve(suspect.type).kind === "type")
          return { at, message: `reference to undefined type: ${suspect.name}` };
      } else if (!QUALIFIERS.has(unifier.resolve(plainType(suspect.key, types)).kind)) {
        return { at, message: "invalid qualifier type" };
      }
    }
    return undefined;
  }
}

/** Types of an index that the planner has a qualifier for, or that are known only when it is evaluated. */
const QUALIFIERS: ReadonlySet<Type["kind"]> = new Set(["string", "int", "uint", "double", "bool", "dyn", "param"]);

/** The type, through `dyn`. */
function plainType(key: Syntax, types: ReadonlyMap<Syntax, Type>): Type {
  const within = key.kind === "call" && key.fn === "dyn" ? key.args[0] : undefined;
  return within === undefined ? (types.get(key) ?? DYN) : plainType(within, types);
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
