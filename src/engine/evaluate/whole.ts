/** Everything that an evaluation can be equipped with. */

import { FUNCTIONS } from "../../cel/functions/registry.js";
import { SchemaValidator } from "../../schema/validator.js";
import type { Equipment } from "./equipment.js";
import { Generator } from "./generator.js";

export const WHOLE: Equipment = {
  functions: FUNCTIONS,
  validator: (schemas) => new SchemaValidator(schemas),
  source: (closures) => new Generator(closures),
};
