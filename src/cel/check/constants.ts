/**
 * Finds the values that the server's planner computes ahead of evaluation. The server folds constant subexpressions,
 * unless the expression calls `now()` or `timeSince()`. Then cel-go only runs conversions of constants and compiles
 * constant patterns (`interpreter/decorators.go`). The name of a type does not count as a constant.
 */

import { children, type Expr, everyChild, type Syntax } from "../ast.js";
import { type CompileEnv, compile, Slots } from "../compile.js";
import { equals } from "../equality.js";
import { Evaluation, isExhausted } from "../evaluation.js";
import { FUNCTIONS } from "../functions/registry.js";
import { isOptionalAccess, OPERATORS } from "../operators.js";
import { compileRegex } from "../regex.js";
import { type CelValue, TypeValue, Uint } from "../values.js";

/** Conversions of a constant run when the expression is planned: if one fails, the whole expression fails. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/** Larger constants are not evaluated: a policy could nest thousands of them. */
const MAX_NODES = 200;

const ENV: CompileEnv = {
  functions: FUNCTIONS,
  variables: new Map(),
  constants: new Map(),
  slots: new Slots(),
};

export class PlannerConstants {
  /** Whether the planner folds at all. */
  readonly folds: boolean;
  /** One step budget for all constants of an expression. */
  private readonly evaluation = new Evaluation();

  constructor(syntax: Syntax) {
    this.folds = !asksForTime(syntax);
  }

  /** Whether the planner replaces an expression with a value. */
  isKnown(expr: Expr): boolean {
    return this.folds ? isConstant(expr) : isConverted(expr);
  }

  /**
   * Whether the planner has a constant as an index. Folding leaves list and map literals as they are; without folding
   * they are values. The name of a type counts as a constant here.
   */
  isIndex(expr: Expr): boolean {
    if (expr.kind === "literal") return true;
    if (!this.folds) return isConverted(expr);
    const written = this.branchOf(expr);
    return written.kind !== "list" && written.kind !== "map" && isConstant(expr);
  }

  /** The branch that folding leaves of a conditional with a constant condition; any other expression unchanged. */
  private branchOf(expr: Expr): Expr {
    if (expr.kind !== "call" || OPERATORS.get(expr.fn)?.kind !== "conditional") return expr;
    const [condition, yes, no] = expr.args;
    const value = condition && this.valueOf(condition);
    const branch = value === true ? yes : value === false ? no : undefined;
    return branch === undefined ? expr : this.branchOf(branch);
  }

  /**
   * The value of `needle in list` if the planner can tell; undefined if evaluation has to. An empty list contains
   * nothing. With folding, a constant is in a list that has an equal constant, whatever the other elements are.
   */
  membership(needle: Expr, list: Expr): boolean | undefined {
    if (list.kind !== "list") {
      const whole = this.folds ? this.valueOf(list) : undefined;
      return Array.isArray(whole) && whole.length === 0 ? false : undefined;
    }
    if (list.elements.length === 0) return false;
    const value = this.folds ? this.scalarOf(needle) : undefined;
    if (value === undefined) return undefined;
    const isIn = list.elements.some((element) => {
      const other = this.scalarOf(element);
      return other !== undefined && equals(this.evaluation, other, value) === true;
    });
    return isIn ? true : undefined;
  }

  /** {@link valueOf}, undefined for lists, maps, and values that only calls make, such as timestamps. */
  private scalarOf(expr: Expr): CelValue | undefined {
    const value = this.valueOf(expr);
    const isScalar =
      value === null || typeof value !== "object" || value instanceof Uint || value instanceof Uint8Array;
    return isScalar ? value : undefined;
  }

  /** The value that the planner computes for an expression; undefined if it computes none, or if computing it errs. */
  valueOf(expr: Expr): CelValue | undefined {
    if (expr.kind === "literal") return expr.value;
    if (expr.kind === "optional") return undefined;
    return isSmall(expr) && this.isKnown(expr) ? compile(expr, ENV)(this.evaluation) : undefined;
  }

  /** Why a call fails as soon as it is planned; undefined if it does not fail, or fails only when it is evaluated. */
  faultOf(expr: Expr): string | undefined {
    if (expr.kind !== "call" && expr.kind !== "member") return undefined;
    const [first, second] = children(expr);
    if (expr.fn === "matches") {
      // Folding happens after cel-go compiles constant patterns.
      const pattern = second !== undefined && isConverted(second) ? this.valueOf(second) : undefined;
      return typeof pattern === "string" && compileRegex(pattern) === undefined
        ? "invalid regular expression"
        : undefined;
    }
    const converts = expr.kind === "call" && CONVERSIONS.has(expr.fn) && first !== undefined;
    // An argument that errs makes the call fail at evaluation, not at planning.
    if (!converts || !isSmall(expr) || !this.isKnown(first) || this.valueOf(first) === undefined) return undefined;
    return this.valueOf(expr) === undefined && !isExhausted(this.evaluation) ? this.evaluation.fault : undefined;
  }
}

/** `bound`: the variables that enclosing macros bind. */
function isConstant(expr: Expr, bound: readonly string[] = []): boolean {
  if (expr.kind === "literal") return isData(expr);
  if (expr.kind === "ident") return expr.of === "local" && bound.includes(expr.name);
  const isCall = expr.kind === "call" || expr.kind === "member";
  if (isCall && (isClock(expr.fn) || isOptional(expr.fn))) return false;
  return everyChild(expr, bound, isConstant);
}

/** Without folding, the planner knows literals, lists and maps of them, and conversions of them. */
function isConverted(expr: Expr): boolean {
  if (expr.kind === "list" || expr.kind === "map") return children(expr).every(isConverted);
  return isData(expr) || (expr.kind === "call" && CONVERSIONS.has(expr.fn) && expr.args.every(isConverted));
}

function isData(expr: Expr): boolean {
  return expr.kind === "literal" && !(expr.value instanceof TypeValue);
}

function asksForTime(syntax: Syntax): boolean {
  const isAsked = (syntax.kind === "call" || syntax.kind === "member") && isClock(syntax.fn);
  return isAsked || children(syntax).some(asksForTime);
}

/** Functions that return optional values, which are never constants. */
function isOptional(fn: string): boolean {
  return fn.startsWith("optional") || isOptionalAccess(fn);
}

function isClock(fn: string): boolean {
  return fn === "now" || fn === "timeSince";
}

function isSmall(expr: Expr): boolean {
  let left = MAX_NODES;
  const walk = (one: Expr): boolean => --left >= 0 && children(one).every(walk);
  return walk(expr);
}
