/** What compilation makes, and what it knows while it does. */

import type { Expr } from "../ast.js";
import type { Evaluation, Result } from "../evaluation.js";
import type { Functions } from "../functions/functions.js";
import type { CelValue } from "../values.js";

/** A compiled expression. It returns `undefined` for an error and never throws on JSON-like data. */
export type Code = (ev: Evaluation) => Result;

/** Numbers slots (see `Evaluation.slots`): one for each attribute or variable that expressions compiled together read. */
export class Slots {
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

/** Is told the value of each part of an expression as it is evaluated; undefined is an error, and `fault` says which. */
export type Watch = (part: Expr, value: Result, fault: string) => void;

/** What the names in an expression stand for, besides the request's own values. */
export interface CompileEnv {
  /** The functions that it can call. */
  readonly functions: Functions;
  /** Code that evaluates `V.name`. */
  readonly variables: ReadonlyMap<string, Code>;
  /** Whether a variable that errs is null to what reads it, and there to `has()`. Otherwise to read it is an error. */
  readonly nullIfErring?: boolean;
  readonly constants: ReadonlyMap<string, CelValue>;
  readonly slots: Slots;
  readonly watch?: Watch;
}

/** {@link CompileEnv} inside macros: `locals` maps the names they bind to indexes into `Evaluation.locals`. */
export interface Scope extends CompileEnv {
  readonly locals: ReadonlyMap<string, number>;
  /** The next free index of `Evaluation.locals`. */
  readonly depth: number;
  /** Compiles a part of an expression; it is here so that the modules of this folder do not import in circles. */
  readonly compile: (expr: Expr, scope: Scope) => Code;
}

/** The code of a part of an expression. */
export function codeOf(expr: Expr, scope: Scope): Code {
  return scope.compile(expr, scope);
}
