/** `rolePolicy` (`cerbos.policy.v1.RolePolicy`). */

import { OPTIONAL_VERSION, POLICY_NAME } from "../names.js";
import { CONDITION, CONSTANTS, OUTPUT, RULE_NAME_TEXT, SCOPE_TEXT, VARIABLES, VERSION_DESCRIPTION } from "./parts.js";
import { listOf, matching, message, nonEmptyListOf, oneOf, REQUIRED_TEXT } from "./shape.js";

const RULE = message(
  {
    name: RULE_NAME_TEXT,
    resource: REQUIRED_TEXT,
    allowActions: nonEmptyListOf(REQUIRED_TEXT),
    condition: CONDITION,
    output: OUTPUT,
  },
  "resource",
  "allowActions",
);

export const ROLE_POLICY = message(
  {
    role: matching(POLICY_NAME, "a role, without `!`, `*`, `?` and brackets"),
    version: matching(OPTIONAL_VERSION, VERSION_DESCRIPTION),
    scope: SCOPE_TEXT,
    // Of no effect; the server refuses the third value.
    scopePermissions: oneOf("SCOPE_PERMISSIONS_UNSPECIFIED", "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"),
    parentRoles: listOf(REQUIRED_TEXT),
    variables: VARIABLES,
    constants: CONSTANTS,
    rules: listOf(RULE),
  },
  "role",
);
