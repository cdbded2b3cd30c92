/**
 * What cel-go checks and then cannot plan (`interpreter/planner.go`): a variable that holds a type, which it takes for the
 * name of one (`planCheckedIdent`); an index that is constant and of no kind that it has a qualifier for; a conversion of
 * a constant that fails, and a constant pattern that is none. Which types these have is known once the whole expression
 * is checked.
 */

import type { Doom, Expr, Syntax } from "../ast.js";
import { OPERATORS } from "../operators.js";
import { DYN, type Type } from "../types.js";
import { Constants } from "./constants.js";
import type { Unifier } from "./unify.js";

/** A checked node, and its type; after an issue that is `dyn`, so that one mistake is reported once. */
export interface Typed {
  readonly expr: Expr;
  readonly type: Type;
}

type Suspect = { readonly at: number } & (
  | { readonly kind: "bound"; readonly name: string; readonly type: Type }
  | { readonly kind: "index"; readonly key: Syntax }
  | { readonly kind: "call"; readonly fault: string }
);

export class Dooms {
  private readonly suspects: Suspect[] = [];
  private readonly constants: Constants;
  private readonly issues: readonly unknown[];

  /** `issues`: those that were found so far. What has one is never planned, and what it leaves unresolved is no constant. */
  constructor(syntax: Syntax, issues: readonly unknown[]) {
    this.constants = new Constants(syntax);
    this.issues = issues;
  }

  private get isMoot(): boolean {
    return this.issues.length > 0;
  }

  get size(): number {
    return this.suspects.length;
  }

  /** A variable that a macro binds. */
  bound(at: number, name: string, type: Type): void {
    this.suspects.push({ kind: "bound", at, name, type });
  }

  /** An index: as it was written, and checked. */
  index(at: number, key: Syntax, checked: Expr): void {
    if (!this.isMoot && this.constants.isIndex(checked)) this.suspects.push({ kind: "index", at, key });
  }

  /** What is folded, whatever is in it, is planned as its value. `start`: {@link size} before it. */
  fold(start: number, checked: Expr): void {
    if (this.isMoot || this.size === start || !this.constants.folds) return;
    if (this.constants.valueOf(checked) !== undefined) this.suspects.length = start;
  }

  /** A call with its arguments. */
  call(checked: Expr): void {
    const fault = this.isMoot ? undefined : this.constants.faultOf(checked);
    if (fault !== undefined) this.suspects.push({ kind: "call", at: checked.at, fault });
  }

  /**
   * What a constant settles is left out before the rest is planned: `true || x`, and a branch of `true ? x : y`. `ends`:
   * {@link size} before the arguments of the call and after each.
   */
  leaveOut(fn: string, [first, ...others]: readonly Typed[], ends: readonly number[]): void {
    const operator = OPERATORS.get(fn);
    if (this.isMoot || !this.constants.folds || this.suspects.length === ends[0]) return;
    const constantOf = (typed: Typed | undefined) => typed && this.constants.valueOf(typed.expr);
    const [start = 0, condition = 0, then = 0] = ends;
    if (operator?.kind === "junction") {
      if ([first, ...others].some((typed) => constantOf(typed) === operator.decisive)) this.suspects.length = start;
    }
    if (operator?.kind !== "conditional") return;
    if (constantOf(first) === true) this.suspects.length = then;
    else if (constantOf(first) === false) this.suspects.splice(condition, then - condition);
  }

  /**
   * What `needle in list` is taken for before anything of it is evaluated; undefined if for nothing. `start`: {@link size}
   * before its operands, which are left out where constants are folded.
   */
  membership(start: number, needle: Expr, list: Expr): boolean | undefined {
    const settled = this.isMoot ? undefined : this.constants.membership(needle, list);
    if (settled !== undefined && this.constants.folds) this.suspects.length = start;
    return settled;
  }

  /** Why the expression cannot be planned; undefined if it can. */
  found(unifier: Unifier, types: ReadonlyMap<Syntax, Type>): Doom | undefined {
    for (const suspect of this.suspects) {
      const { at } = suspect;
      if (suspect.kind === "bound") {
        if (unifier.resolve(suspect.type).kind === "type")
          return { at, message: `reference to undefined type: ${suspect.name}` };
      } else if (suspect.kind === "call") {
        return { at, message: suspect.fault };
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
