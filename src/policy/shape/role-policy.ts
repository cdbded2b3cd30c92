/** `rolePolicy` (`cerbos.policy.v1.RolePolicy`). */

import { OPTIONAL_VERSION, POLICY_NAME } from "../names.js";
import {
  CONDITION,
  CONSTANTS,
  OUTPUT,
  ROLE_SCOPE_PERMISSIONS,
  RULE_NAME_TEXT,
  SCOPE_TEXT,
  VARIABLES,
  VERSION_DESCRIPTION,
} from "./parts.js";
import { listOf, matching, message, nonEmptyListOf, REQUIRED_TEXT } from "./shape.js";

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
    scopePermissions: ROLE_SCOPE_PERMISSIONS,
    parentRoles: listOf(REQUIRED_TEXT),
    variables: VARIABLES,
    constants: CONSTANTS,
    rules: listOf(RULE),
  },
  "role",
);
