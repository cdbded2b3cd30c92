/**
 * The operators' overloads. At run time all overloads of an operator share one function of `operators.ts`, which tests
 * the types itself.
 */

import { differ, equals } from "../equality.js";
import { type Evaluation, type EvaluationResult, fail } from "../evaluation.js";
import { OPERATORS, type Operator } from "../operators.js";
import { DYN } from "../types.js";
import type { CelValue } from "../values.js";
import { ARITHMETIC, index, memberOf, negate, not, order } from "./operators.js";
import type { Implementation, Overload } from "./overload.js";

/**
 * The compiler handles `&&`, `||` and `?:`, which evaluate their arguments lazily; calling them as functions is an
 * error.
 */
function lazy(ev: Evaluation): EvaluationResult {
  return fail(ev, "no such overload");
}

function runOf(operator: Operator): Implementation {
  switch (operator.kind) {
    case "junction":
      return { arity: 2, call: lazy };
    case "conditional":
      return { arity: 3, call: lazy };
    case "not":
      return { arity: 1, call: not };
    case "negative":
      return { arity: 1, call: negate };
    case "equality":
      return { arity: 2, call: operator.equal ? equals : differ };
    case "ordering": {
      const call = (ev: Evaluation, a: CelValue, b: CelValue): EvaluationResult => {
        const found = order(ev, `_${operator.symbol}_`, a, b);
        return found === undefined ? undefined : operator.holds(found);
      };
      return { arity: 2, call };
    }
    case "arithmetic":
      return { arity: 2, call: ARITHMETIC[operator.symbol] };
    case "membership":
      return { arity: 2, call: memberOf };
    default:
      return { arity: 2, call: index };
  }
}

export const operators: readonly Overload[] = [...OPERATORS].flatMap(([name, operator]) => {
  const run = runOf(operator);
  return operator.types.map((types) => ({
    ...{ name, style: "global" as const, run },
    ...{ params: types.slice(0, -1), result: types.at(-1) ?? DYN },
  }));
});
