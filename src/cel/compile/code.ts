/** Compiled code, and the environment that compilation needs. */

import type { Expr } from "../ast.js";
import type { Evaluation, EvaluationResult } from "../evaluation.js";
import type { FunctionSet } from "../functions/functions.js";
import type { OperandValue } from "../operand-tree.js";
import type { CelValue } from "../values.js";

/** A compiled expression. It returns `undefined` for an error and never throws on JSON-like data. */
export type Code = (ev: Evaluation) => EvaluationResult;

/**
 * Assigns slots (see `Evaluation.slots`): one for each attribute or variable that expressions compiled together read.
 */
export class SlotNumbers {
  private readonly byKey = new Map<string, number>();

  /** The slot for a key. */
  of(key: string): number {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const slot = this.byKey.size;
    this.byKey.set(key, slot);
    return slot;
  }
}

/**
 * Observes the value of each part of an expression as it is evaluated. For an error, `value` is undefined and `fault`
 * set.
 */
export type WatchParts = (part: Expr, value: EvaluationResult, fault: string) => void;

/** Observes the operands of trees of `&&`, `||` and `!`, even of parts that an evaluation passes over. */
export interface OperandProbe {
  /** The operands of the tree with this outermost node; undefined for any other expression. */
  operandsOf(expr: Expr): readonly Expr[] | undefined;
  /** The variables for the operands: without observers. */
  readonly variables: ReadonlyMap<string, Code>;
  probed(expr: Expr, values: readonly OperandValue[]): void;
}

/** The meaning of the names in an expression, besides the request's own values. */
export interface CompileEnv {
  /** The functions that the expression can call. */
  readonly functions: FunctionSet;
  /** Code that evaluates `V.name`. */
  readonly variables: ReadonlyMap<string, Code>;
  /** If true, a variable that errs reads as null, and `has()` of it is true. Otherwise reading it is an error. */
  readonly nullIfErring?: boolean;
  readonly constants: ReadonlyMap<string, CelValue>;
  readonly slots: SlotNumbers;
  readonly watch?: WatchParts;
  readonly probe?: OperandProbe;
  /** The code to run in place of a part's own. Undefined: its own. */
  readonly replace?: (part: Expr) => Code | undefined;
}

/** {@link CompileEnv} inside macros: `locals` maps the names they bind to indexes into `Evaluation.locals`. */
export interface CompileScope extends CompileEnv {
  readonly locals: ReadonlyMap<string, number>;
  /** The next free index of `Evaluation.locals`. */
  readonly depth: number;
  /** Compiles a part of an expression. It is a property so that the modules of this folder need no circular imports. */
  readonly compile: (expr: Expr, scope: CompileScope) => Code;
}

/** The code of a part of an expression. */
export function codeOf(expr: Expr, scope: CompileScope): Code {
  return scope.compile(expr, scope);
}
