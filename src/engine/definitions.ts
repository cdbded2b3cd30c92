/** Variables and constants of one policy, or of one set of derived roles, as code that reads them. */

import { type Code, type CompileEnv, compile, type Slots, variableKey } from "../cel/compile.js";
import { UNREAD } from "../cel/evaluation.js";
import type { Definitions, Variable } from "../policy/model.js";
import { type Observer, observed } from "./observer.js";

/** `unit` keeps apart variables of one name in different namespaces of a policy. */
export function compileDefinitions(
  definitions: Definitions,
  slots: Slots,
  unit: string,
  observer?: Observer,
): CompileEnv {
  const variables = new Map<string, Code>();
  const env: CompileEnv = { variables, constants: definitions.constants, slots };
  for (const variable of definitions.variables) {
    const code = explained(variable, observed(variable.expr, compile(variable.expr.expr, env), observer));
    variables.set(variable.name, lazily(code, slots.of(variableKey(unit, variable.name))));
  }
  return env;
}

/** A failing variable says so; where in it is no place in the expression that reads it. */
function explained(variable: Variable, code: Code): Code {
  return (ev) => {
    const value = code(ev);
    if (value === undefined) {
      ev.fault = `variable ${variable.name}: ${ev.fault}`;
      ev.faultAt = -1;
    }
    return value;
  };
}

/** Evaluates a variable when it is first read, so that one that errs fails only the conditions that read it. */
function lazily(code: Code, slot: number | undefined): Code {
  if (slot === undefined) return code;
  return (ev) => {
    const known = ev.slots[slot];
    if (known !== UNREAD && known !== undefined) return known;
    const value = code(ev);
    ev.slots[slot] = value;
    return value;
  };
}
