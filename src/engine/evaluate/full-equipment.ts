/** The full equipment of an evaluation. */

import { FUNCTIONS } from "../../cel/functions/registry.js";
import { SchemaTypes } from "../../schema/declared-type.js";
import { SchemaValidator } from "../../schema/validator.js";
import type { Equipment } from "./equipment.js";
import { Generator } from "./generator.js";

/** {@link FULL_EQUIPMENT} without generated code: closures decide. */
export const CLOSURES_ONLY: Equipment = {
  functions: FUNCTIONS,
  types: ({ schemas }) => new SchemaTypes(schemas),
  validator: (schemas) => new SchemaValidator(schemas),
  source: undefined,
};

export const FULL_EQUIPMENT: Equipment = {
  ...CLOSURES_ONLY,
  source: () => new Generator(),
};
