/** Shapes that several kinds of policy share. */

import { RULE_NAME, SCOPE, SET_NAME, VERSION } from "../names.js";
import { choice, listOf, mapOf, matching, message, nonEmptyListOf, oneOf, type Shape, TEXT, VALUE } from "./shape.js";

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

/** The numbers of enumerations in `policy.proto`, which protobuf's JSON takes as well as their names. */
export const NUMBERED: ReadonlyMap<Shape, ReadonlyMap<string, string>> = new Map([
  [EFFECT, numbered(["EFFECT_ALLOW", "EFFECT_DENY"], 1)],
  [SCOPE_PERMISSIONS, numbered(SCOPE_PERMISSIONS.enum ?? [], 0)],
]);

function numbered(names: readonly string[], from: number): ReadonlyMap<string, string> {
  return new Map(names.map((name, i) => [String(from + i), name]));
}

const MATCH: Shape = { $ref: "#/$defs/match" };
const NESTED = message({ of: nonEmptyListOf(MATCH) }, "of");

/** The one shape that contains itself; every document has it among its `$defs`. */
export const DEFINITIONS = { match: choice({ expr: TEXT, all: NESTED, any: NESTED, none: NESTED }) };

export const CONDITION = choice({ match: MATCH, script: TEXT });

export const OUTPUT = message({ expr: TEXT, when: message({ ruleActivated: TEXT, conditionNotMet: TEXT }) });

export const VARIABLES = message({ import: listOf(SET_NAME_TEXT), local: mapOf(TEXT) });
export const CONSTANTS = message({ import: listOf(SET_NAME_TEXT), local: mapOf(VALUE) });
