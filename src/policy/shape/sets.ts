/** `derivedRoles`, `exportVariables` and `exportConstants`: sets that other policies import by name. */

import { CONDITION, CONSTANTS, SET_NAME_TEXT, VARIABLES } from "./parts.js";
import { mapOf, message, nonEmptyListOf, REQUIRED_TEXT, TEXT, VALUE } from "./shape.js";

const ROLE = message(
  { name: SET_NAME_TEXT, parentRoles: nonEmptyListOf(REQUIRED_TEXT), condition: CONDITION },
  "name",
  "parentRoles",
);

export const DERIVED_ROLES = message(
  { name: SET_NAME_TEXT, definitions: nonEmptyListOf(ROLE), variables: VARIABLES, constants: CONSTANTS },
  "name",
  "definitions",
);

export const EXPORT_VARIABLES = message({ name: SET_NAME_TEXT, definitions: mapOf(TEXT) }, "name");
export const EXPORT_CONSTANTS = message({ name: SET_NAME_TEXT, definitions: mapOf(VALUE) }, "name");
