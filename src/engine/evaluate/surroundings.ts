/** What a layer gives to the functions that were generated for its conditions. */

import { pathKey } from "../../cel/compile.js";
import type { AttributeTypes, Surroundings } from "../generate/written.js";
import type { Activation } from "./activation.js";
import type { Closures } from "./closures.js";
import type { PlannedCondition } from "./conditions.js";

const ROOTS = { principal: "P.attr", resource: "R.attr" } as const;

export function surroundings(
  closures: Closures,
  conditions: readonly PlannedCondition[],
  types: AttributeTypes,
): Surroundings<Activation> {
  return {
    ask: (number) => {
      const condition = conditions[number];
      if (condition === undefined) throw new Error("keyward: a generated function asks for a condition that is none");
      return closures.checkAt(condition.what, condition.step);
    },
    slotOf: (subject, path) => closures.slots.of(pathKey(ROOTS[subject], path)),
    types,
  };
}
