import type { AnyPolicy } from "./model.js";

/**
 * The roles in the lists of rules, the parents of derived roles, and those of role policies: names, patterns and `*`.
 * Roles in expressions are left out.
 */
export function writtenRoles(policies: readonly AnyPolicy[]): readonly string[] {
  return policies.flatMap((policy): readonly string[] => {
    if (policy.kind === "principal") return [];
    if (policy.kind === "role") return [policy.role, ...policy.parentRoles];
    const derived = [...policy.derivedRoles.values()].flatMap(({ parentRoles }) => parentRoles);
    return [...policy.rules.flatMap(({ roles }) => roles), ...derived];
  });
}
