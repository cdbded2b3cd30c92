/**
 * What an evaluation tells to whoever looks on. Conditions are compiled with an observer or without: where there is
 * none, nothing is asked at run time.
 */

import type { Code } from "../../cel/compile.js";
import type { Result } from "../../cel/evaluation.js";
import type { Expression } from "../../policy/model.js";
import type { Conditional } from "../plan/plan.js";

export interface Observer {
  /** An expression of a condition, a variable or an output was evaluated; `undefined` is an error. */
  evaluated(expression: Expression, value: Result): void;
  /** It was found out whether a rule or a derived role holds. */
  considered(what: Conditional, holds: boolean | undefined): void;
}

/** `code`, which tells `observer` the value of each evaluation. */
export function observed(expression: Expression, code: Code, observer: Observer | undefined): Code {
  if (observer === undefined) return code;
  return (ev) => {
    const value = code(ev);
    observer.evaluated(expression, value);
    return value;
  };
}
