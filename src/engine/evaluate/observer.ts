/**
 * Observers of evaluations. Conditions are compiled with an observer or without. Without one, nothing is tested at run
 * time.
 */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile } from "../../cel/compile.js";
import type { EvaluationResult } from "../../cel/evaluation.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Conditional } from "../plan/plan.js";

export interface Observer {
  /**
   * An expression of a condition, a variable or an output was evaluated. An `undefined` value is an error, and `fault`
   * is its message.
   */
  evaluated?(expression: Expression, value: EvaluationResult, fault: string): void;
  /**
   * A part of an expression was evaluated. Expressions of one text share their trees, so the part alone does not
   * identify the expression.
   */
  watched?(expression: Expression, part: Expr, value: EvaluationResult, fault: string): void;
  /** A node of a `condition.match` holds, does not hold, or errs (undefined). */
  concluded?(condition: Condition, holds: boolean | undefined): void;
  /** A rule or a derived role holds, does not hold, or errs (undefined). */
  considered?(what: Conditional, holds: boolean | undefined): void;
}

/** Compiles an expression. Its code tells `observer` the value of each evaluation. */
export function compileObserved(expression: Expression, env: CompileEnv, observer: Observer | undefined): Code {
  const code = compile(expression.expr, watchedEnv(expression, env, observer));
  if (observer?.evaluated === undefined) return code;
  return (ev) => {
    const value = code(ev);
    observer.evaluated?.(expression, value, ev.fault);
    return value;
  };
}

function watchedEnv(expression: Expression, env: CompileEnv, observer: Observer | undefined): CompileEnv {
  if (observer?.watched === undefined) return env;
  return { ...env, watch: (part, value, fault) => observer.watched?.(expression, part, value, fault) };
}
