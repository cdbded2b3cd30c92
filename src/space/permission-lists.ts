/**
 * The lists of the key that policies use as lists of permissions: a condition searches them for a text that the policies
 * write, alone or as a part (`"admin"`, `"api." + R.id + ".read"`). A list of tenants or teams, which conditions search
 * for a value of the resource, does not count as one: a longer list can mean less.
 */

import { children, type Expr } from "../cel/ast.js";
import { usageOf } from "../cel/expression-usage.js";
import type { JsonValue } from "../cel/json.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { reachable } from "../policy/policy-expressions.js";
import { Collector } from "./collect.js";
import { policiesOf } from "./deciding-rules.js";
import type { Dimension, DynamicOperand } from "./dimension.js";
import { globalsOf } from "./question-space.js";

/** The lists of permissions by their names: `key.attr.permissions`. */
export function permissionListsOf(set: PolicySet): ReadonlySet<string> {
  const collector = new Collector("permission", globalsOf([set], "permission"));
  for (const policy of policiesOf(set, "permission").all) {
    for (const { condition } of policy.rules) collector.condition(condition, policy.definitions);
    if (policy.kind !== "resource") continue;
    for (const role of policy.derivedRoles.values()) collector.condition(role.condition, role.definitions);
  }
  const lists = [...collector.dimensions.values()].filter(isPermissionList);
  return new Set(lists.map(({ id }) => id));
}

function isPermissionList({ subject, path, elements, dynamicElements }: Dimension): boolean {
  if (subject !== "key" || path[0] !== "attr") return false;
  return [...elements.values()].some(isText) || dynamicElements.some(hasText);
}

/** Whether an expression has a text of the policies in it, its variables and constants included. */
function hasText({ expr, definitions }: DynamicOperand): boolean {
  return reachable({ expressions: [{ expr }], definitions }).some(
    (one) =>
      hasLiteralText(one.expr) ||
      [...usageOf(one.expr).constants].some((name) => isText(definitions.constants.get(name))),
  );
}

function hasLiteralText(expr: Expr): boolean {
  return expr.kind === "literal"
    ? typeof expr.value === "string" && expr.value !== ""
    : children(expr).some(hasLiteralText);
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value !== "";
}
