/** The equipment of every program that loads bundles: the functions that suffice for most policies. */

import { cerbosListFunctions } from "../cel/functions/cerbos-lists.js";
import { clockFunctions } from "../cel/functions/clock.js";
import { conversionFunctions } from "../cel/functions/conversions.js";
import { FunctionSet } from "../cel/functions/functions.js";
import { operators } from "../cel/functions/signatures.js";
import { stringFunctions } from "../cel/functions/strings.js";
import type { Equipment } from "../engine/evaluate/equipment.js";

export const CORE: Equipment = {
  functions: new FunctionSet([
    ...operators,
    ...conversionFunctions,
    ...stringFunctions,
    ...cerbosListFunctions,
    ...clockFunctions,
  ]),
  types: undefined,
  validator: undefined,
  source: undefined,
};
