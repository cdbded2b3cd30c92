/** `principalPolicy` (`cerbos.policy.v1.PrincipalPolicy`). */

import { POLICY_NAME } from "../names.js";
import {
  CONDITION,
  CONSTANTS,
  EFFECT,
  OUTPUT,
  RULE_NAME_TEXT,
  SCOPE_PERMISSIONS,
  SCOPE_TEXT,
  VARIABLES,
  VERSION_TEXT,
} from "./parts.js";
import { listOf, matching, message, nonEmptyListOf, REQUIRED_TEXT } from "./shape.js";

const ACTION = message(
  { name: RULE_NAME_TEXT, action: REQUIRED_TEXT, effect: EFFECT, condition: CONDITION, output: OUTPUT },
  "action",
  "effect",
);

export const PRINCIPAL_POLICY = message(
  {
    principal: matching(POLICY_NAME, "a principal id, without `!`, `*`, `?` and brackets"),
    version: VERSION_TEXT,
    scope: SCOPE_TEXT,
    scopePermissions: SCOPE_PERMISSIONS,
    variables: VARIABLES,
    constants: CONSTANTS,
    rules: listOf(message({ resource: REQUIRED_TEXT, actions: nonEmptyListOf(ACTION) }, "resource", "actions")),
  },
  "principal",
  "version",
);
