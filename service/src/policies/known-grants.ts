/**
 * The roles and permissions that policies know. An unknown one could gain effect with a later release of the policies.
 */

import type { PolicySet } from "keyward";
import { isKnownPermission, isKnownRole, knownPermissions } from "keyward/audit";
import { ROLES } from "../store/schema.js";

export interface GrantedPowers {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

interface KnownGrants {
  readonly roles: readonly string[];
  readonly permissions: ReturnType<typeof knownPermissions>;
}

/** Cached by policy set, as sets are immutable. */
const known = new WeakMap<PolicySet, KnownGrants>();

function knownTo(policies: PolicySet): KnownGrants {
  const found = known.get(policies) ?? {
    // The role custom is for keys without any other role.
    roles: ROLES.filter((role) => role === "custom" || isKnownRole(policies, role)),
    permissions: knownPermissions(policies),
  };
  known.set(policies, found);
  return found;
}

/** A message about the first unknown role or permission, with the known ones; undefined if all are known. */
export function unknownGrantMessage(policies: PolicySet, { roles, permissions }: GrantedPowers): string | undefined {
  const there = knownTo(policies);
  const role = roles.find((one) => !there.roles.includes(one));
  if (role !== undefined) return `roles: no policy knows ${role}; known are ${there.roles.join(", ")}`;
  const permission = permissions.find((one) => !isKnownPermission(there.permissions, one));
  if (permission === undefined) return undefined;
  const names = there.permissions.map((pieces) => pieces.join("<id>"));
  return `permissions: no policy knows ${permission}; known are ${names.join(", ")}`;
}
