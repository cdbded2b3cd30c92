/**
 * Finds expressions that cel-go checks but cannot plan (`interpreter/planner.go`):
 *
 * - a variable that holds a type: the planner takes it for the name of a type (`planCheckedIdent`);
 * - a constant index of a type for which the planner has no qualifier;
 * - a conversion of a constant that fails, and a constant pattern that is invalid.
 *
 * Types of indexes and variables are final only when the whole expression is checked, so suspects are collected first.
 */

import type { Expr, StaticError, Syntax } from "../ast.js";
import { OPERATORS } from "../operators.js";
import { type CelType, DYN } from "../types.js";
import { PlannerConstants } from "./constants.js";
import type { Unifier } from "./unify.js";

/** A checked node and its type. After an issue the type is `dyn`, so that one mistake is reported once. */
export interface TypedNode {
  readonly expr: Expr;
  readonly type: CelType;
}

type Suspect = { readonly at: number } & (
  | { readonly kind: "bound"; readonly name: string; readonly type: CelType }
  | { readonly kind: "index"; readonly key: Syntax }
  | { readonly kind: "call"; readonly fault: string }
);

export class StaticErrors {
  private readonly suspects: Suspect[] = [];
  private readonly constants: PlannerConstants;
  private readonly issues: readonly unknown[];

  /**
   * `issues`: the issues found so far. An expression with an issue is never planned; its unresolved parts must not be
   * folded.
   */
  constructor(syntax: Syntax, issues: readonly unknown[]) {
    this.constants = new PlannerConstants(syntax);
    this.issues = issues;
  }

  private get isMoot(): boolean {
    return this.issues.length > 0;
  }

  get size(): number {
    return this.suspects.length;
  }

  /** Records a variable that a macro binds. */
  bound(at: number, name: string, type: CelType): void {
    this.suspects.push({ kind: "bound", at, name, type });
  }

  /** Records an index, as written and as checked. */
  index(at: number, key: Syntax, checked: Expr): void {
    if (!this.isMoot && this.constants.isIndex(checked)) this.suspects.push({ kind: "index", at, key });
  }

  /**
   * Drops the suspects within an expression that folds to a value, since the planner sees only the value. `start`:
   * {@link size} before the expression.
   */
  fold(start: number, checked: Expr): void {
    if (this.isMoot || this.size === start || !this.constants.folds) return;
    if (this.constants.valueOf(checked) !== undefined) this.suspects.length = start;
  }

  /** Records a call that fails when it is planned. */
  call(checked: Expr): void {
    const fault = this.isMoot ? undefined : this.constants.faultOf(checked);
    if (fault !== undefined) this.suspects.push({ kind: "call", at: checked.at, fault });
  }

  /**
   * Drops the suspects in operands that a constant short-circuits: `true || x`, and a branch of `true ? x : y`. `ends`:
   * {@link size} before the arguments of the call and after each.
   */
  leaveOut(fn: string, [first, ...others]: readonly TypedNode[], ends: readonly number[]): void {
    const operator = OPERATORS.get(fn);
    if (this.isMoot || !this.constants.folds || this.suspects.length === ends[0]) return;
    const constantOf = (typed: TypedNode | undefined) => typed && this.constants.valueOf(typed.expr);
    const [start = 0, condition = 0, then = 0] = ends;
    if (operator?.kind === "junction") {
      if ([first, ...others].some((typed) => constantOf(typed) === operator.decisive)) this.suspects.length = start;
    }
    if (operator?.kind !== "conditional") return;
    if (constantOf(first) === true) this.suspects.length = then;
    else if (constantOf(first) === false) this.suspects.splice(condition, then - condition);
  }

  /**
   * The value that the planner gives to `needle in list` before evaluation; undefined if it gives none. `start`: {@link
   * size} before the operands; with folding, a known value drops their suspects.
   */
  membership(start: number, needle: Expr, list: Expr): boolean | undefined {
    const settled = this.isMoot ? undefined : this.constants.membership(needle, list);
    if (settled !== undefined && this.constants.folds) this.suspects.length = start;
    return settled;
  }

  /** Why the expression cannot be planned; undefined if it can. */
  found(unifier: Unifier, types: ReadonlyMap<Syntax, CelType>): StaticError | undefined {
    for (const suspect of this.suspects) {
      const { at } = suspect;
      if (suspect.kind === "bound") {
        if (unifier.resolve(suspect.type).kind === "type")
          return { at, message: `reference to undefined type: ${suspect.name}` };
      } else if (suspect.kind === "call") {
        return { at, message: suspect.fault };
      } else if (!QUALIFIERS.has(unifier.resolve(typeWithoutDyn(suspect.key, types)).kind)) {
        return { at, message: "invalid qualifier type" };
      }
    }
    return undefined;
  }
}

/** Types of constant indexes that the planner accepts. `dyn` and `param` are checked at evaluation. */
const QUALIFIERS: ReadonlySet<CelType["kind"]> = new Set(["string", "int", "uint", "double", "bool", "dyn", "param"]);

/** The type of an index without calls of `dyn(…)` around it. */
function typeWithoutDyn(key: Syntax, types: ReadonlyMap<Syntax, CelType>): CelType {
  const within = key.kind === "call" && key.fn === "dyn" ? key.args[0] : undefined;
  return within === undefined ? (types.get(key) ?? DYN) : typeWithoutDyn(within, types);
}
