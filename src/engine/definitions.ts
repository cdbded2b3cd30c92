/** Variables and constants of one policy, or of one set of derived roles, as code that reads them. */

import { type Code, type CompileEnv, compile, type Slots } from "../cel/compile.js";
import { UNREAD } from "../cel/evaluation.js";
import type { Definitions, Variable } from "../policy/model.js";

/** `unit` keeps apart the slots of definitions of one name in different namespaces of a policy. */
export function compileDefinitions(definitions: Definitions, slots: Slots, unit: string): CompileEnv {
  const variables = new Map<string, Code>();
  const env: CompileEnv = { variables, constants: definitions.constants, slots };
  for (const variable of definitions.variables) {
    const code = compile(variable.expr.expr, env);
    variables.set(variable.name, lazily(variable, code, slots.of(`V\0${unit}\0${variable.name}`)));
  }
  return env;
}

/** Evaluates a variable when it is first read, so that one that errs fails only the conditions that read it. */
function lazily(variable: Variable, code: Code, slot: number): Code {
  return (ev) => {
    const known = ev.slots[slot];
    if (known !== UNREAD && known !== undefined) return known;
    const value = code(ev);
    ev.slots[slot] = value;
    if (value === undefined) {
      ev.fault = `variable ${variable.name}: ${ev.fault}`;
      ev.faultAt = -1;
    }
    return value;
  };
}
