/** `rolePolicy` (`cerbos.policy.v1.RolePolicy`) of Cerbos 0.51: names, outputs, variables and constants came later. */

import { OPTIONAL_VERSION, POLICY_NAME } from "../names.js";
import { CONDITION, SCOPE_TEXT, VERSION_DESCRIPTION } from "./parts.js";
import { listOf, matching, message, nonEmptyListOf, oneOf, REQUIRED_TEXT } from "./shape.js";

const RULE = message(
  { resource: REQUIRED_TEXT, allowActions: nonEmptyListOf(REQUIRED_TEXT), condition: CONDITION },
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
    rules: listOf(RULE),
  },
  "role",
);
