/** Shapes that several kinds of policy share. */

import { RULE_NAME, SCOPE, SET_NAME, VERSION } from "../names.js";
import {
  choice,
  type DocumentShape,
  listOf,
  mapOf,
  matching,
  message,
  nonEmptyListOf,
  oneOf,
  TEXT,
  VALUE,
} from "./shape.js";

export const SET_NAME_TEXT = matching(SET_NAME, "letters, digits, `_`, `-` and `.`");
export const VERSION_DESCRIPTION = "letters, digits and `_`";
export const VERSION_TEXT = matching(VERSION, VERSION_DESCRIPTION);
export const SCOPE_TEXT = matching(SCOPE, "names of letters, digits, `_` and `-`, joined by `.`");
export const RULE_NAME_TEXT = matching(RULE_NAME, "a letter, then letters, digits, `_`, `-`, `.` and `@`");
export const EFFECT = oneOf("EFFECT_ALLOW", "EFFECT_DENY");
export const SCOPE_PERMISSIONS = oneOf(
  "SCOPE_PERMISSIONS_UNSPECIFIED",
  "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
  "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
);

/** `scopePermissions` of a role policy. It has no effect, but the server refuses OVERRIDE_PARENT there. */
export const ROLE_SCOPE_PERMISSIONS = oneOf(
  "SCOPE_PERMISSIONS_UNSPECIFIED",
  "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
);

const NUMBERED_PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ["", "SCOPE_PERMISSIONS_UNSPECIFIED"],
  ["0", "SCOPE_PERMISSIONS_UNSPECIFIED"],
  ["1", "SCOPE_PERMISSIONS_OVERRIDE_PARENT"],
  ["2", "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"],
]);

/**
 * The names of enumeration values by their numbers in `policy.proto`. Protobuf's JSON accepts numbers, names and an empty
 * value.
 */
export const NUMBERED: ReadonlyMap<DocumentShape, ReadonlyMap<string, string>> = new Map([
  [
    EFFECT,
    new Map([
      ["1", "EFFECT_ALLOW"],
      ["2", "EFFECT_DENY"],
    ]),
  ],
  [SCOPE_PERMISSIONS, NUMBERED_PERMISSIONS],
  [ROLE_SCOPE_PERMISSIONS, NUMBERED_PERMISSIONS],
]);

const MATCH: DocumentShape = { $ref: "#/$defs/match" };
const NESTED = message({ of: nonEmptyListOf(MATCH) }, "of");

/** The one recursive shape. Every document has it among its `$defs`. */
export const DEFINITIONS = { match: choice({ expr: TEXT, all: NESTED, any: NESTED, none: NESTED }) };

export const CONDITION = choice({ match: MATCH, script: TEXT });

export const OUTPUT = message({ expr: TEXT, when: message({ ruleActivated: TEXT, conditionNotMet: TEXT }) });

export const VARIABLES = message({ import: listOf(SET_NAME_TEXT), local: mapOf(TEXT) });
export const CONSTANTS = message({ import: listOf(SET_NAME_TEXT), local: mapOf(VALUE) });
