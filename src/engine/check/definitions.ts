/**
 * Variables as the server has them: one that errs is null to what reads it. To `has()` it is not there, except where
 * the server finds out which derived roles are active: there it is (observed on 0.51.0).
 */

import { type Code, type CompileEnv, compile, type Erring, type Slots, variableKey } from "../../cel/compile.js";
import { UNREAD } from "../../cel/evaluation.js";
import type { Definitions } from "../../policy/model.js";
import { type Observer, observed } from "../observer.js";

/** Like `compileDefinitions` of `../definitions.ts`, where a variable that errs is an error to what reads it. */
export function compileForgivingDefinitions(
  definitions: Definitions,
  slots: Slots,
  unit: string,
  erring: Erring,
  observer?: Observer,
): CompileEnv {
  const variables = new Map<string, Code>();
  const env: CompileEnv = { variables, constants: definitions.constants, slots, erring };
  for (const { name, expr } of definitions.variables) {
    const code = observed(expr, compile(expr.expr, env), observer);
    variables.set(name, remembered(code, slots.of(variableKey(unit, name))));
  }
  return env;
}

/** Evaluates a variable when it is first read. That it errs is remembered too, except for want of steps. */
function remembered(code: Code, slot: number | undefined): Code {
  if (slot === undefined) return code;
  return (ev) => {
    const known = ev.slots[slot];
    if (known !== UNREAD) return known;
    const value = code(ev);
    if (value !== undefined || ev.steps >= 0) ev.slots[slot] = value;
    return value;
  };
}
