/** `rolePolicy` (`cerbos.policy.v1.RolePolicy`). */

import { POLICY_NAME } from "../names.js";
import { CONDITION, RULE_NAME_TEXT, SCOPE_PERMISSIONS, SCOPE_TEXT, VERSION_TEXT } from "./parts.js";
import { listOf, matching, message, nonEmptyListOf, REQUIRED_TEXT } from "./shape.js";

const RULE = message(
  { name: RULE_NAME_TEXT, resource: REQUIRED_TEXT, allowActions: nonEmptyListOf(REQUIRED_TEXT), condition: CONDITION },
  "resource",
  "allowActions",
);

export const ROLE_POLICY = message(
  {
    role: matching(POLICY_NAME, "a role, without `!`, `*`, `?` and brackets"),
    version: VERSION_TEXT,
    scope: SCOPE_TEXT,
    scopePermissions: SCOPE_PERMISSIONS,
    parentRoles: listOf(REQUIRED_TEXT),
    rules: listOf(RULE),
  },
  "role",
);
