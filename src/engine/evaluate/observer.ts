/**
 * What an evaluation tells to whoever looks on. Conditions are compiled with an observer or without: where there is
 * none, nothing is asked at run time.
 */

import type { Code, Watch } from "../../cel/compile.js";
import type { Result } from "../../cel/evaluation.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Conditional } from "../plan/plan.js";

export interface Observer {
  /** An expression of a condition, a variable or an output was evaluated; `undefined` is an error, and `fault` says which. */
  evaluated?(expression: Expression, value: Result, fault: string): void;
  /** So was a part of one. */
  readonly watch?: Watch;
  /** A node of a `condition.match` was found to hold or not, or erred. */
  concluded?(condition: Condition, holds: boolean | undefined): void;
  /** It was found out whether a rule or a derived role holds. */
  considered?(what: Conditional, holds: boolean | undefined): void;
}

/** `code`, which tells `observer` the value of each evaluation. */
export function observed(expression: Expression, code: Code, observer: Observer | undefined): Code {
  if (observer?.evaluated === undefined) return code;
  return (ev) => {
    const value = code(ev);
    observer.evaluated?.(expression, value, ev.fault);
    return value;
  };
}
