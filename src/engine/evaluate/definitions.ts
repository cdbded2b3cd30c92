/** Compiles the variables and constants of one policy, or of one set of derived roles. */

import { type Code, type Slots, variableKey } from "../../cel/compile.js";
import { ERRED, fail, isExhausted } from "../../cel/evaluation.js";
import type { FunctionSet } from "../../cel/functions/functions.js";
import type { Definitions } from "../../policy/model.js";
import { compileObserved, isProbing, type ObservedEnv, type Observer } from "./observer.js";

/**
 * The value of a variable that errs, for the expressions that read it.
 *
 * - `error`: an error that gives the reason.
 * - `undefined`: the variable is absent. The server has it so in general.
 * - `null`: the server has it so where it determines the active derived roles, unless it is strict (observed).
 */
export type VariableErrorMode = "error" | "undefined" | "null";

/** `unit` separates variables of one name in different namespaces. */
export function compileDefinitions(
  functions: FunctionSet,
  definitions: Definitions,
  slots: Slots,
  unit: string,
  erring: VariableErrorMode,
  observer?: Observer,
): ObservedEnv {
  const variables = new Map<string, Code>();
  const unobserved = isProbing(observer)
    ? compileDefinitions(functions, definitions, slots, `${unit} unobserved`, erring)
    : undefined;
  const env: ObservedEnv = {
    functions,
    variables,
    constants: definitions.constants,
    slots,
    nullIfErring: erring === "null",
    ...(unobserved === undefined ? {} : { unobserved }),
  };
  const faultOf =
    erring === "error"
      ? (name: string, fault: string) => `variable ${name}: ${fault}`
      : (name: string) => `undefined field '${name}'`;
  for (const [name, expression] of definitions.variables) {
    const code = compileObserved(expression, env, observer);
    variables.set(name, remembered(name, code, slots.of(variableKey(unit, name)), faultOf));
  }
  return env;
}

/**
 * Evaluates a variable at its first read, so that a variable that errs fails only the expressions that read it. The
 * value is memoized, and so is an error with its message. The error has no position, since a position in the variable
 * is not one in the expression that reads it.
 */
function remembered(name: string, code: Code, slot: number, faultOf: (name: string, fault: string) => string): Code {
  return (ev) => {
    const known = ev.slots[slot];
    if (known === ERRED) return fail(ev, ev.faults[slot] ?? "");
    if (known !== undefined) return known;
    const value = code(ev);
    if (value === undefined) {
      fail(ev, isExhausted(ev) ? ev.fault : faultOf(name, ev.fault));
      ev.faults[slot] = ev.fault;
    }
    ev.fill(slot, value === undefined ? ERRED : value);
    return value;
  };
}
