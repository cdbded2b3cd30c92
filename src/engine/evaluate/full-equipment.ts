/** The full equipment of an evaluation. */

import { FUNCTIONS } from "../../cel/functions/registry.js";
import { SchemaTypes } from "../../schema/typed.js";
import { SchemaValidator } from "../../schema/validator.js";
import type { Equipment } from "./equipment.js";
import { Generator } from "./generator.js";

/** {@link WHOLE} without generated code: closures decide. */
export const WITHOUT_CODE: Equipment = {
  functions: FUNCTIONS,
  types: ({ schemas }) => new SchemaTypes(schemas),
  validator: (schemas) => new SchemaValidator(schemas),
  source: undefined,
};

export const WHOLE: Equipment = {
  ...WITHOUT_CODE,
  source: () => new Generator(),
};
