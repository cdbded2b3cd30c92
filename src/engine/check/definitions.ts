/** Variables as the server has them: one that errs is null to what reads it (reference §2.10, observed on 0.51.0). */

import { type Code, type CompileEnv, compile, type Slots, variableKey } from "../../cel/compile.js";
import { UNREAD } from "../../cel/evaluation.js";
import type { Definitions } from "../../policy/model.js";
import { type Observer, observed } from "../observer.js";

/** Like `compileDefinitions` of `../definitions.ts`, where a variable that errs is an error to what reads it. */
export function compileForgivingDefinitions(
  definitions: Definitions,
  slots: Slots,
  unit: string,
  observer?: Observer,
): CompileEnv {
  const variables = new Map<string, Code>();
  const env: CompileEnv = { variables, constants: definitions.constants, slots };
  for (const { name, expr } of definitions.variables) {
    variables.set(
      name,
      forgiving(observed(expr, compile(expr.expr, env), observer), slots.of(variableKey(unit, name))),
    );
  }
  return env;
}

/** Null for an error, unless the step budget is what ran out: that ends every evaluation. */
function forgiving(code: Code, slot: number | undefined): Code {
  return (ev) => {
    const known = slot === undefined ? UNREAD : ev.slots[slot];
    if (known !== UNREAD && known !== undefined) return known;
    const value = code(ev) ?? (ev.steps < 0 ? undefined : null);
    if (slot !== undefined) ev.slots[slot] = value;
    return value;
  };
}
