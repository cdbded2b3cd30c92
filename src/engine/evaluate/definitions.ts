/** Variables and constants of one policy, or of one set of derived roles, as code that reads them. */

import { type Code, type CompileEnv, type Slots, variableKey } from "../../cel/compile.js";
import { ERRED, fail, isExhausted } from "../../cel/evaluation.js";
import type { Functions } from "../../cel/functions/functions.js";
import type { Definitions, Variable } from "../../policy/model.js";
import { compileObserved, type Observer } from "./observer.js";

/**
 * What a variable that errs is to what reads it: an error that says why (`error`); to the server it is not there
 * (`undefined`), or null where it finds out which derived roles are active, unless it is strict (observed).
 */
export type Erring = "error" | "undefined" | "null";

/** `unit` keeps apart variables of one name in different namespaces. */
export function compileDefinitions(
  functions: Functions,
  definitions: Definitions,
  slots: Slots,
  unit: string,
  erring: Erring,
  observer?: Observer,
): CompileEnv {
  const variables = new Map<string, Code>();
  const env: CompileEnv = {
    functions,
    variables,
    constants: definitions.constants,
    slots,
    nullIfErring: erring === "null",
  };
  const faultOf =
    erring === "error"
      ? (name: string, fault: string) => `variable ${name}: ${fault}`
      : (name: string) => `undefined field '${name}'`;
  for (const variable of definitions.variables) {
    const code = compileObserved(variable.expr, env, observer);
    const slot = slots.of(variableKey(unit, variable.name));
    variables.set(variable.name, remembered(variable, code, slot, faultOf));
  }
  return env;
}

/**
 * Evaluates a variable when it is first read, so that one that errs fails only what reads it. That it errs is remembered
 * too, and what it says of itself: where in it is no place in the expression that reads it.
 */
function remembered(
  { name }: Variable,
  code: Code,
  slot: number,
  faultOf: (name: string, fault: string) => string,
): Code {
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
