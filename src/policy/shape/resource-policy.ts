/** `resourcePolicy` (`cerbos.policy.v1.ResourcePolicy`). */

import { POLICY_NAME } from "../names.js";
import {
  CONDITION,
  CONSTANTS,
  EFFECT,
  OUTPUT,
  RULE_NAME_TEXT,
  SCOPE_PERMISSIONS,
  SCOPE_TEXT,
  SET_NAME_TEXT,
  VARIABLES,
  VERSION_TEXT,
} from "./parts.js";
import { listOf, matching, message, nonEmptyListOf, REQUIRED_TEXT } from "./shape.js";

const RULE = message(
  {
    name: RULE_NAME_TEXT,
    actions: nonEmptyListOf(REQUIRED_TEXT),
    roles: listOf(REQUIRED_TEXT),
    derivedRoles: listOf(SET_NAME_TEXT),
    effect: EFFECT,
    condition: CONDITION,
    output: OUTPUT,
  },
  "actions",
  "effect",
);

const SCHEMA = message(
  { ref: REQUIRED_TEXT, ignoreWhen: message({ actions: nonEmptyListOf(REQUIRED_TEXT) }, "actions") },
  "ref",
);

export const RESOURCE_POLICY = message(
  {
    resource: matching(POLICY_NAME, "a resource kind, without `!`, `*`, `?` and brackets"),
    version: VERSION_TEXT,
    scope: SCOPE_TEXT,
    scopePermissions: SCOPE_PERMISSIONS,
    importDerivedRoles: listOf(SET_NAME_TEXT),
    schemas: message({ principalSchema: SCHEMA, resourceSchema: SCHEMA }),
    variables: VARIABLES,
    constants: CONSTANTS,
    rules: listOf(RULE),
  },
  "resource",
  "version",
);
