/** The part of each operation that does not come from a role: from a permission of the key's own, or open to any key. */

import type { AllowChance, OperationFacts, ScopeFacts } from "../operations/types.js";
import type { DerivedRoleFacts, EveryRoleFacts, ReviewedOperation, RuleFacts } from "./types.js";

export function withEveryRole(
  operations: readonly OperationFacts[],
  rules: readonly RuleFacts[],
  derivedRoles: readonly DerivedRoleFacts[],
): readonly ReviewedOperation[] {
  const open = new Set(derivedRoles.flatMap(({ id, parentRoles }) => (parentRoles.includes("*") ? [id] : [])));
  const isForEveryRole = (rule: RuleFacts) =>
    rule.roles.includes("*") || rule.derivedRoles.some((role) => open.has(role));
  const byId = new Map(rules.flatMap((rule) => (isForEveryRole(rule) ? [[rule.id, rule] as const] : [])));
  return operations.map((operation) => ({
    ...operation,
    scopes: operation.scopes.map((scope) => ({ ...scope, everyRole: everyRoleIn(scope, byId) })),
  }));
}

function everyRoleIn({ cells, permission }: ScopeFacts, rules: ReadonlyMap<string, RuleFacts>): EveryRoleFacts {
  const chance: AllowChance = cells.find(({ role }) => role === "*")?.chance ?? "never";
  const allowing = chance === "never" ? [] : permission.allow.flatMap((id) => rules.get(id) ?? []);
  const needing = allowing.filter(({ permissions }) => permissions !== undefined);
  const isOpen = chance !== "never" && needing.length < Math.max(1, allowing.length);
  return {
    byPermission: needing.length > 0 ? "conditional" : "never",
    permissions: [...new Set(needing.flatMap(({ permissions = [] }) => permissions))],
    byAny: isOpen ? chance : "never",
  };
}
