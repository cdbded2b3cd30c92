/**
 * What an evaluation tells to whoever looks on. Conditions are compiled with an observer or without: where there is
 * none, nothing is asked at run time.
 */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile } from "../../cel/compile.js";
import type { Result } from "../../cel/evaluation.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Conditional } from "../plan/plan.js";

export interface Observer {
  /** An expression of a condition, a variable or an output was evaluated; `undefined` is an error, and `fault` says which. */
  evaluated?(expression: Expression, value: Result, fault: string): void;
  /** So was a part of one. Expressions of one text share their trees, so that a part alone does not say whose it is. */
  watched?(expression: Expression, part: Expr, value: Result, fault: string): void;
  /** A node of a `condition.match` was found to hold or not, or erred. */
  concluded?(condition: Condition, holds: boolean | undefined): void;
  /** It was found out whether a rule or a derived role holds. */
  considered?(what: Conditional, holds: boolean | undefined): void;
}

/** The code of an expression, which tells `observer` the value of each evaluation. */
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
